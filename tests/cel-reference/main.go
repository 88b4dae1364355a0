// cel-reference evaluates expressions with Kubernetes' own CEL environment, so that ours can be
// compared with it.
//
//	cel-reference POD_JSON... < expressions > outcomes
//
// Standard input: one JSON text a line, {"expr": "...", "pod": 0} with the number of the pod among
// the arguments. Standard output: one line for each: "refused TEXT" where it does not compile,
// "error TEXT" where evaluation fails, else "value CANONICAL".
//
// Variables: `object`, `any` (the pod, untyped, as admission policies see it), `request`,
// `namespaceObject`, and `workload` and `variables` as untyped maps.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

type line struct {
	Expr string `json:"expr"`
	Pod  int    `json:"pod"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "cel-reference:", err)
		os.Exit(1)
	}
}

func run() error {
	env, err := newEnvironment()
	if err != nil {
		return err
	}
	var pods []map[string]any
	for _, path := range os.Args[1:] {
		pod, err := readPod(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		pods = append(pods, pod)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var in line
		if err := json.Unmarshal(lines.Bytes(), &in); err != nil {
			return err
		}
		if in.Pod >= len(pods) {
			return fmt.Errorf("no pod %d", in.Pod)
		}
		fmt.Fprintln(out, strings.ReplaceAll(outcome(env, in.Expr, pods[in.Pod]), "\n", " "))
	}
	return lines.Err()
}

func newEnvironment() (*cel.Env, error) {
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	extended, err := base.Extend(environment.VersionedOptions{
		IntroducedVersion: environment.DefaultCompatibilityVersion(),
		EnvOptions: []cel.EnvOption{
			cel.Variable("object", cel.DynType),
			cel.Variable("any", cel.DynType),
			cel.Variable("request", cel.DynType),
			cel.Variable("namespaceObject", cel.DynType),
			cel.Variable("workload", cel.DynType),
			cel.Variable("variables", cel.DynType),
		},
	})
	if err != nil {
		return nil, err
	}
	return extended.Env(environment.NewExpressions)
}

// readPod reads the object of a review as the API server would: whole numbers are int64.
func readPod(path string) (map[string]any, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var review struct {
		Request struct {
			Object json.RawMessage `json:"object"`
		} `json:"request"`
	}
	if err := json.Unmarshal(data, &review); err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(review.Request.Object); err != nil {
		return nil, err
	}
	return object.Object, nil
}

// The facts are constants here and in the test that compares.
func bindings(pod map[string]any) map[string]any {
	return map[string]any{
		"object": pod,
		"any":    pod,
		"request": map[string]any{
			"operation": "CREATE",
			"namespace": "team-nlp",
			"userInfo":  map[string]any{"username": "ann", "groups": []any{"dev"}},
		},
		"namespaceObject": map[string]any{
			"metadata": map[string]any{"name": "team-nlp", "labels": map[string]any{"team": "nlp"}},
		},
		"workload": map[string]any{
			"intent": "training", "gpus": int64(8), "pods": int64(4), "totalGpus": int64(32),
			"shared": false,
			"labels": map[string]any{"team": "nlp", "tier": "gold", "app": "bert"},
		},
		"variables": map[string]any{
			"maxInteractive": int64(2),
			"small":          true,
			"optedOut":       false,
		},
	}
}

func outcome(env *cel.Env, expression string, pod map[string]any) string {
	ast, issues := env.Compile(expression)
	if issues != nil && issues.Err() != nil {
		return "refused " + issues.Err().Error()
	}
	program, err := env.Program(ast, cel.CostLimit(10_000_000))
	if err != nil {
		return "refused " + err.Error()
	}
	value, _, err := program.Eval(bindings(pod))
	if err != nil {
		return "error " + err.Error()
	}
	return "value " + canonical(value)
}

// canonical is a text that is the same for the same value, whatever wrote it.
func canonical(value ref.Val) string {
	switch v := value.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return fmt.Sprint(bool(v))
	case types.Int:
		return fmt.Sprintf("i%d", int64(v))
	case types.Uint:
		return fmt.Sprintf("u%d", uint64(v))
	case types.Double:
		return fmt.Sprintf("d%016x", math.Float64bits(float64(v)))
	case types.String:
		return fmt.Sprintf("s%x", string(v))
	case types.Bytes:
		return fmt.Sprintf("b%x", []byte(v))
	case types.Timestamp:
		return fmt.Sprintf("t%d.%09d", v.Unix(), v.Nanosecond())
	case types.Duration:
		return fmt.Sprintf("n%d", v.Nanoseconds())
	case apiservercel.Quantity:
		return fmt.Sprintf("q%016x", math.Float64bits(v.AsApproximateFloat64()))
	case *apiservercel.Quantity:
		return fmt.Sprintf("q%016x", math.Float64bits(v.AsApproximateFloat64()))
	case *types.Optional:
		if !v.HasValue() {
			return "none"
		}
		return "some(" + canonical(v.GetValue()) + ")"
	case ref.Type:
		return "type " + v.TypeName()
	case traits.Mapper:
		return canonicalMap(v)
	case traits.Lister:
		var items []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, canonical(it.Next()))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return "unknown " + value.Type().TypeName()
}

func canonicalMap(m traits.Mapper) string {
	var entries []string
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		entries = append(entries, canonical(key)+": "+canonical(m.Get(key)))
	}
	sort.Strings(entries)
	return "{" + strings.Join(entries, ", ") + "}"
}

// Reads YAML documents from standard input, and each that is of cert-manager or of the Prometheus operator into the operator's own Go
// type, which refuses fields that it does not know and values of other types. Prints how many it read; exit 1 where one is refused.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	certmanager "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

type head struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
}

var types = map[string]func() any{
	"cert-manager.io/v1 Issuer":               func() any { return &certmanager.Issuer{} },
	"cert-manager.io/v1 Certificate":          func() any { return &certmanager.Certificate{} },
	"monitoring.coreos.com/v1 ServiceMonitor": func() any { return &monitoring.ServiceMonitor{} },
	"monitoring.coreos.com/v1 PrometheusRule": func() any { return &monitoring.PrometheusRule{} },
}

func main() {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	read, refused := 0, 0
	for {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		var about head
		if err := yaml.Unmarshal(text, &about); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		make, known := types[about.APIVersion+" "+about.Kind]
		if !known {
			continue
		}
		read++
		if err := yaml.UnmarshalStrict(text, make()); err != nil {
			refused++
			fmt.Printf("%s %s: %v\n", about.Kind, about.Metadata.Name, err)
		}
	}
	fmt.Printf("read %d, refused %d\n", read, refused)
	if refused > 0 {
		os.Exit(1)
	}
}

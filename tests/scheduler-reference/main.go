// scheduler-reference tells which nodes can take a pod, by kube-scheduler's own filter functions,
// so that our model can be compared with them.
//
//	scheduler-reference < questions > answers
//
// Standard input: one JSON text a line, {"nodes": [Node], "pods": [Pod, bound], "pod": Pod}.
// Standard output: one JSON text for each, {"affinity": "101", "taints": "...", "cordon": "...",
// "empty": "...", "free": "..."}: a digit a node, 1 where the pod passes that filter. "empty" and
// "free" are the resources, without and with what the bound pods take.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	v1 "k8s.io/api/core/v1"
	v1helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
)

type question struct {
	Nodes []*v1.Node `json:"nodes"`
	Pods  []*v1.Pod  `json:"pods"`
	Pod   *v1.Pod    `json:"pod"`
}

type answer struct {
	Affinity string `json:"affinity"`
	Taints   string `json:"taints"`
	Cordon   string `json:"cordon"`
	Empty    string `json:"empty"`
	Free     string `json:"free"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "scheduler-reference:", err)
		os.Exit(1)
	}
}

func run() error {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for number := 1; lines.Scan(); number++ {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		text, err := json.Marshal(judge(asked))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n", text)
	}
	return lines.Err()
}

func judge(asked question) answer {
	var out answer
	logger := klog.FromContext(context.Background())
	options := noderesources.ResourceRequestsOptions{EnablePodLevelResources: true}
	required := nodeaffinity.GetRequiredNodeAffinity(asked.Pod)
	unschedulable := v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule}
	for _, node := range asked.Nodes {
		// As the plugin does: a term that cannot be read does not match.
		matches, _ := required.Match(node)
		out.Affinity += digit(matches)
		_, repels := v1helper.FindMatchingUntoleratedTaint(logger, node.Spec.Taints,
			asked.Pod.Spec.Tolerations, helper.DoNotScheduleTaintsFilterFunc(), true)
		out.Taints += digit(!repels)
		out.Cordon += digit(!node.Spec.Unschedulable || v1helper.TolerationsTolerateTaint(
			logger, asked.Pod.Spec.Tolerations, &unschedulable, true))
		empty := framework.NewNodeInfo()
		empty.SetNode(node)
		out.Empty += digit(len(noderesources.Fits(asked.Pod, empty, nil, options)) == 0)
		used := framework.NewNodeInfo(onNode(asked.Pods, node.Name)...)
		used.SetNode(node)
		out.Free += digit(len(noderesources.Fits(asked.Pod, used, nil, options)) == 0)
	}
	return out
}

func onNode(pods []*v1.Pod, name string) []*v1.Pod {
	var out []*v1.Pod
	for _, pod := range pods {
		// As the scheduler's cache has it: pods that have ended take nothing.
		ended := pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
		if pod.Spec.NodeName == name && !ended {
			out = append(out, pod)
		}
	}
	return out
}

func digit(yes bool) string {
	if yes {
		return "1"
	}
	return "0"
}

// Made by tools/pod_schema.py from Kubernetes v1.36.3; not for editing by hand.
#include "rules/cel/pod_schema.h"

namespace berth::rules::cel {
namespace {

// clang-format off
constexpr JsonField kPod[] = {{"apiVersion", "string"}, {"kind", "string"},
    {"metadata", "ObjectMeta"}, {"spec", "PodSpec"}, {"status", "PodStatus"}};
constexpr JsonField kObjectMeta[] = {{"annotations", "map(string, string)"},
    {"creationTimestamp", "string"}, {"deletionGracePeriodSeconds", "int"},
    {"deletionTimestamp", "string"}, {"finalizers", "list(string)"}, {"generateName", "string"},
    {"generation", "int"}, {"labels", "map(string, string)"},
    {"managedFields", "list(ManagedFieldsEntry)"}, {"name", "string"}, {"namespace", "string"},
    {"ownerReferences", "list(OwnerReference)"}, {"resourceVersion", "string"},
    {"selfLink", "string"}, {"uid", "string"}};
constexpr JsonField kPodSpec[] = {{"activeDeadlineSeconds", "int"}, {"affinity", "Affinity"},
    {"automountServiceAccountToken", "bool"}, {"containers", "list(Container)"},
    {"dnsConfig", "PodDNSConfig"}, {"dnsPolicy", "string"}, {"enableServiceLinks", "bool"},
    {"ephemeralContainers", "list(EphemeralContainer)"}, {"hostAliases", "list(HostAlias)"},
    {"hostIPC", "bool"}, {"hostNetwork", "bool"}, {"hostPID", "bool"}, {"hostUsers", "bool"},
    {"hostname", "string"}, {"hostnameOverride", "string"},
    {"imagePullSecrets", "list(LocalObjectReference)"}, {"initContainers", "list(Container)"},
    {"nodeName", "string"}, {"nodeSelector", "map(string, string)"}, {"os", "PodOS"},
    {"overhead", "map(string, dyn)"}, {"preemptionPolicy", "string"}, {"priority", "int"},
    {"priorityClassName", "string"}, {"readinessGates", "list(PodReadinessGate)"},
    {"resourceClaims", "list(PodResourceClaim)"}, {"resources", "ResourceRequirements"},
    {"restartPolicy", "string"}, {"runtimeClassName", "string"}, {"schedulerName", "string"},
    {"schedulingGates", "list(PodSchedulingGate)"}, {"schedulingGroup", "PodSchedulingGroup"},
    {"securityContext", "PodSecurityContext"}, {"serviceAccount", "string"},
    {"serviceAccountName", "string"}, {"setHostnameAsFQDN", "bool"},
    {"shareProcessNamespace", "bool"}, {"subdomain", "string"},
    {"terminationGracePeriodSeconds", "int"}, {"tolerations", "list(Toleration)"},
    {"topologySpreadConstraints", "list(TopologySpreadConstraint)"}, {"volumes", "list(Volume)"}};
constexpr JsonField kPodStatus[] = {{"allocatedResources", "map(string, dyn)"},
    {"conditions", "list(PodCondition)"}, {"containerStatuses", "list(ContainerStatus)"},
    {"ephemeralContainerStatuses", "list(ContainerStatus)"},
    {"extendedResourceClaimStatus", "PodExtendedResourceClaimStatus"}, {"hostIP", "string"},
    {"hostIPs", "list(HostIP)"}, {"initContainerStatuses", "list(ContainerStatus)"},
    {"message", "string"},
    {"nodeAllocatableResourceClaimStatuses", "list(NodeAllocatableResourceClaimStatus)"},
    {"nominatedNodeName", "string"}, {"observedGeneration", "int"}, {"phase", "string"},
    {"podIP", "string"}, {"podIPs", "list(PodIP)"}, {"qosClass", "string"}, {"reason", "string"},
    {"resize", "string"}, {"resourceClaimStatuses", "list(PodResourceClaimStatus)"},
    {"resources", "ResourceRequirements"}, {"startTime", "string"}};
constexpr JsonField kManagedFieldsEntry[] = {{"apiVersion", "string"}, {"fieldsType", "string"},
    {"fieldsV1", "dyn"}, {"manager", "string"}, {"operation", "string"}, {"subresource", "string"},
    {"time", "string"}};
constexpr JsonField kOwnerReference[] = {{"apiVersion", "string"}, {"blockOwnerDeletion", "bool"},
    {"controller", "bool"}, {"kind", "string"}, {"name", "string"}, {"uid", "string"}};
constexpr JsonField kAffinity[] = {{"nodeAffinity", "NodeAffinity"}, {"podAffinity", "PodAffinity"},
    {"podAntiAffinity", "PodAntiAffinity"}};
constexpr JsonField kContainer[] = {{"args", "list(string)"}, {"command", "list(string)"},
    {"env", "list(EnvVar)"}, {"envFrom", "list(EnvFromSource)"}, {"image", "string"},
    {"imagePullPolicy", "string"}, {"lifecycle", "Lifecycle"}, {"livenessProbe", "Probe"},
    {"name", "string"}, {"ports", "list(ContainerPort)"}, {"readinessProbe", "Probe"},
    {"resizePolicy", "list(ContainerResizePolicy)"}, {"resources", "ResourceRequirements"},
    {"restartPolicy", "string"}, {"restartPolicyRules", "list(ContainerRestartRule)"},
    {"securityContext", "SecurityContext"}, {"startupProbe", "Probe"}, {"stdin", "bool"},
    {"stdinOnce", "bool"}, {"terminationMessagePath", "string"},
    {"terminationMessagePolicy", "string"}, {"tty", "bool"},
    {"volumeDevices", "list(VolumeDevice)"}, {"volumeMounts", "list(VolumeMount)"},
    {"workingDir", "string"}};
constexpr JsonField kPodDNSConfig[] = {{"nameservers", "list(string)"},
    {"options", "list(PodDNSConfigOption)"}, {"searches", "list(string)"}};
constexpr JsonField kEphemeralContainer[] = {{"args", "list(string)"}, {"command", "list(string)"},
    {"env", "list(EnvVar)"}, {"envFrom", "list(EnvFromSource)"}, {"image", "string"},
    {"imagePullPolicy", "string"}, {"lifecycle", "Lifecycle"}, {"livenessProbe", "Probe"},
    {"name", "string"}, {"ports", "list(ContainerPort)"}, {"readinessProbe", "Probe"},
    {"resizePolicy", "list(ContainerResizePolicy)"}, {"resources", "ResourceRequirements"},
    {"restartPolicy", "string"}, {"restartPolicyRules", "list(ContainerRestartRule)"},
    {"securityContext", "SecurityContext"}, {"startupProbe", "Probe"}, {"stdin", "bool"},
    {"stdinOnce", "bool"}, {"targetContainerName", "string"}, {"terminationMessagePath", "string"},
    {"terminationMessagePolicy", "string"}, {"tty", "bool"},
    {"volumeDevices", "list(VolumeDevice)"}, {"volumeMounts", "list(VolumeMount)"},
    {"workingDir", "string"}};
constexpr JsonField kHostAlias[] = {{"hostnames", "list(string)"}, {"ip", "string"}};
constexpr JsonField kLocalObjectReference[] = {{"name", "string"}};
constexpr JsonField kPodOS[] = {{"name", "string"}};
constexpr JsonField kPodReadinessGate[] = {{"conditionType", "string"}};
constexpr JsonField kPodResourceClaim[] = {{"name", "string"}, {"resourceClaimName", "string"},
    {"resourceClaimTemplateName", "string"}};
constexpr JsonField kResourceRequirements[] = {{"claims", "list(ResourceClaim)"},
    {"limits", "map(string, dyn)"}, {"requests", "map(string, dyn)"}};
constexpr JsonField kPodSchedulingGate[] = {{"name", "string"}};
constexpr JsonField kPodSchedulingGroup[] = {{"podGroupName", "string"}};
constexpr JsonField kPodSecurityContext[] = {{"appArmorProfile", "AppArmorProfile"},
    {"fsGroup", "int"}, {"fsGroupChangePolicy", "string"}, {"runAsGroup", "int"},
    {"runAsNonRoot", "bool"}, {"runAsUser", "int"}, {"seLinuxChangePolicy", "string"},
    {"seLinuxOptions", "SELinuxOptions"}, {"seccompProfile", "SeccompProfile"},
    {"supplementalGroups", "list(int)"}, {"supplementalGroupsPolicy", "string"},
    {"sysctls", "list(Sysctl)"}, {"windowsOptions", "WindowsSecurityContextOptions"}};
constexpr JsonField kToleration[] = {{"effect", "string"}, {"key", "string"},
    {"operator", "string"}, {"tolerationSeconds", "int"}, {"value", "string"}};
constexpr JsonField kTopologySpreadConstraint[] = {{"labelSelector", "LabelSelector"},
    {"matchLabelKeys", "list(string)"}, {"maxSkew", "int"}, {"minDomains", "int"},
    {"nodeAffinityPolicy", "string"}, {"nodeTaintsPolicy", "string"}, {"topologyKey", "string"},
    {"whenUnsatisfiable", "string"}};
constexpr JsonField kVolume[] = {{"awsElasticBlockStore", "AWSElasticBlockStoreVolumeSource"},
    {"azureDisk", "AzureDiskVolumeSource"}, {"azureFile", "AzureFileVolumeSource"},
    {"cephfs", "CephFSVolumeSource"}, {"cinder", "CinderVolumeSource"},
    {"configMap", "ConfigMapVolumeSource"}, {"csi", "CSIVolumeSource"},
    {"downwardAPI", "DownwardAPIVolumeSource"}, {"emptyDir", "EmptyDirVolumeSource"},
    {"ephemeral", "EphemeralVolumeSource"}, {"fc", "FCVolumeSource"},
    {"flexVolume", "FlexVolumeSource"}, {"flocker", "FlockerVolumeSource"},
    {"gcePersistentDisk", "GCEPersistentDiskVolumeSource"}, {"gitRepo", "GitRepoVolumeSource"},
    {"glusterfs", "GlusterfsVolumeSource"}, {"hostPath", "HostPathVolumeSource"},
    {"image", "ImageVolumeSource"}, {"iscsi", "ISCSIVolumeSource"}, {"name", "string"},
    {"nfs", "NFSVolumeSource"}, {"persistentVolumeClaim", "PersistentVolumeClaimVolumeSource"},
    {"photonPersistentDisk", "PhotonPersistentDiskVolumeSource"},
    {"portworxVolume", "PortworxVolumeSource"}, {"projected", "ProjectedVolumeSource"},
    {"quobyte", "QuobyteVolumeSource"}, {"rbd", "RBDVolumeSource"},
    {"scaleIO", "ScaleIOVolumeSource"}, {"secret", "SecretVolumeSource"},
    {"storageos", "StorageOSVolumeSource"}, {"vsphereVolume", "VsphereVirtualDiskVolumeSource"}};
constexpr JsonField kPodCondition[] = {{"lastProbeTime", "string"},
    {"lastTransitionTime", "string"}, {"message", "string"}, {"observedGeneration", "int"},
    {"reason", "string"}, {"status", "string"}, {"type", "string"}};
constexpr JsonField kContainerStatus[] = {{"allocatedResources", "map(string, dyn)"},
    {"allocatedResourcesStatus", "list(ResourceStatus)"}, {"containerID", "string"},
    {"image", "string"}, {"imageID", "string"}, {"lastState", "ContainerState"}, {"name", "string"},
    {"ready", "bool"}, {"resources", "ResourceRequirements"}, {"restartCount", "int"},
    {"started", "bool"}, {"state", "ContainerState"}, {"stopSignal", "string"},
    {"user", "ContainerUser"}, {"volumeMounts", "list(VolumeMountStatus)"}};
constexpr JsonField kPodExtendedResourceClaimStatus[] =
    {{"requestMappings", "list(ContainerExtendedResourceRequest)"},
    {"resourceClaimName", "string"}};
constexpr JsonField kHostIP[] = {{"ip", "string"}};
constexpr JsonField kNodeAllocatableResourceClaimStatus[] = {{"containers", "list(string)"},
    {"resourceClaimName", "string"}, {"resources", "map(string, dyn)"}};
constexpr JsonField kPodIP[] = {{"ip", "string"}};
constexpr JsonField kPodResourceClaimStatus[] = {{"name", "string"},
    {"resourceClaimName", "string"}};
constexpr JsonField kNodeAffinity[] =
    {{"preferredDuringSchedulingIgnoredDuringExecution", "list(PreferredSchedulingTerm)"},
    {"requiredDuringSchedulingIgnoredDuringExecution", "NodeSelector"}};
constexpr JsonField kPodAffinity[] =
    {{"preferredDuringSchedulingIgnoredDuringExecution", "list(WeightedPodAffinityTerm)"},
    {"requiredDuringSchedulingIgnoredDuringExecution", "list(PodAffinityTerm)"}};
constexpr JsonField kPodAntiAffinity[] =
    {{"preferredDuringSchedulingIgnoredDuringExecution", "list(WeightedPodAffinityTerm)"},
    {"requiredDuringSchedulingIgnoredDuringExecution", "list(PodAffinityTerm)"}};
constexpr JsonField kEnvVar[] = {{"name", "string"}, {"value", "string"},
    {"valueFrom", "EnvVarSource"}};
constexpr JsonField kEnvFromSource[] = {{"configMapRef", "ConfigMapEnvSource"},
    {"prefix", "string"}, {"secretRef", "SecretEnvSource"}};
constexpr JsonField kLifecycle[] = {{"postStart", "LifecycleHandler"},
    {"preStop", "LifecycleHandler"}, {"stopSignal", "string"}};
constexpr JsonField kProbe[] = {{"exec", "ExecAction"}, {"failureThreshold", "int"},
    {"grpc", "GRPCAction"}, {"httpGet", "HTTPGetAction"}, {"initialDelaySeconds", "int"},
    {"periodSeconds", "int"}, {"successThreshold", "int"}, {"tcpSocket", "TCPSocketAction"},
    {"terminationGracePeriodSeconds", "int"}, {"timeoutSeconds", "int"}};
constexpr JsonField kContainerPort[] = {{"containerPort", "int"}, {"hostIP", "string"},
    {"hostPort", "int"}, {"name", "string"}, {"protocol", "string"}};
constexpr JsonField kContainerResizePolicy[] = {{"resourceName", "string"},
    {"restartPolicy", "string"}};
constexpr JsonField kContainerRestartRule[] = {{"action", "string"},
    {"exitCodes", "ContainerRestartRuleOnExitCodes"}};
constexpr JsonField kSecurityContext[] = {{"allowPrivilegeEscalation", "bool"},
    {"appArmorProfile", "AppArmorProfile"}, {"capabilities", "Capabilities"},
    {"privileged", "bool"}, {"procMount", "string"}, {"readOnlyRootFilesystem", "bool"},
    {"runAsGroup", "int"}, {"runAsNonRoot", "bool"}, {"runAsUser", "int"},
    {"seLinuxOptions", "SELinuxOptions"}, {"seccompProfile", "SeccompProfile"},
    {"windowsOptions", "WindowsSecurityContextOptions"}};
constexpr JsonField kVolumeDevice[] = {{"devicePath", "string"}, {"name", "string"}};
constexpr JsonField kVolumeMount[] = {{"mountPath", "string"}, {"mountPropagation", "string"},
    {"name", "string"}, {"readOnly", "bool"}, {"recursiveReadOnly", "string"},
    {"subPath", "string"}, {"subPathExpr", "string"}};
constexpr JsonField kPodDNSConfigOption[] = {{"name", "string"}, {"value", "string"}};
constexpr JsonField kResourceClaim[] = {{"name", "string"}, {"request", "string"}};
constexpr JsonField kAppArmorProfile[] = {{"localhostProfile", "string"}, {"type", "string"}};
constexpr JsonField kSELinuxOptions[] = {{"level", "string"}, {"role", "string"},
    {"type", "string"}, {"user", "string"}};
constexpr JsonField kSeccompProfile[] = {{"localhostProfile", "string"}, {"type", "string"}};
constexpr JsonField kSysctl[] = {{"name", "string"}, {"value", "string"}};
constexpr JsonField kWindowsSecurityContextOptions[] = {{"gmsaCredentialSpec", "string"},
    {"gmsaCredentialSpecName", "string"}, {"hostProcess", "bool"}, {"runAsUserName", "string"}};
constexpr JsonField kLabelSelector[] = {{"matchExpressions", "list(LabelSelectorRequirement)"},
    {"matchLabels", "map(string, string)"}};
constexpr JsonField kAWSElasticBlockStoreVolumeSource[] = {{"fsType", "string"},
    {"partition", "int"}, {"readOnly", "bool"}, {"volumeID", "string"}};
constexpr JsonField kAzureDiskVolumeSource[] = {{"cachingMode", "string"}, {"diskName", "string"},
    {"diskURI", "string"}, {"fsType", "string"}, {"kind", "string"}, {"readOnly", "bool"}};
constexpr JsonField kAzureFileVolumeSource[] = {{"readOnly", "bool"}, {"secretName", "string"},
    {"shareName", "string"}};
constexpr JsonField kCephFSVolumeSource[] = {{"monitors", "list(string)"}, {"path", "string"},
    {"readOnly", "bool"}, {"secretFile", "string"}, {"secretRef", "LocalObjectReference"},
    {"user", "string"}};
constexpr JsonField kCinderVolumeSource[] = {{"fsType", "string"}, {"readOnly", "bool"},
    {"secretRef", "LocalObjectReference"}, {"volumeID", "string"}};
constexpr JsonField kConfigMapVolumeSource[] = {{"defaultMode", "int"},
    {"items", "list(KeyToPath)"}, {"name", "string"}, {"optional", "bool"}};
constexpr JsonField kCSIVolumeSource[] = {{"driver", "string"}, {"fsType", "string"},
    {"nodePublishSecretRef", "LocalObjectReference"}, {"readOnly", "bool"},
    {"volumeAttributes", "map(string, string)"}};
constexpr JsonField kDownwardAPIVolumeSource[] = {{"defaultMode", "int"},
    {"items", "list(DownwardAPIVolumeFile)"}};
constexpr JsonField kEmptyDirVolumeSource[] = {{"medium", "string"}, {"sizeLimit", "dyn"}};
constexpr JsonField kEphemeralVolumeSource[] =
    {{"volumeClaimTemplate", "PersistentVolumeClaimTemplate"}};
constexpr JsonField kFCVolumeSource[] = {{"fsType", "string"}, {"lun", "int"}, {"readOnly", "bool"},
    {"targetWWNs", "list(string)"}, {"wwids", "list(string)"}};
constexpr JsonField kFlexVolumeSource[] = {{"driver", "string"}, {"fsType", "string"},
    {"options", "map(string, string)"}, {"readOnly", "bool"},
    {"secretRef", "LocalObjectReference"}};
constexpr JsonField kFlockerVolumeSource[] = {{"datasetName", "string"}, {"datasetUUID", "string"}};
constexpr JsonField kGCEPersistentDiskVolumeSource[] = {{"fsType", "string"}, {"partition", "int"},
    {"pdName", "string"}, {"readOnly", "bool"}};
constexpr JsonField kGitRepoVolumeSource[] = {{"directory", "string"}, {"repository", "string"},
    {"revision", "string"}};
constexpr JsonField kGlusterfsVolumeSource[] = {{"endpoints", "string"}, {"path", "string"},
    {"readOnly", "bool"}};
constexpr JsonField kHostPathVolumeSource[] = {{"path", "string"}, {"type", "string"}};
constexpr JsonField kImageVolumeSource[] = {{"pullPolicy", "string"}, {"reference", "string"}};
constexpr JsonField kISCSIVolumeSource[] = {{"chapAuthDiscovery", "bool"},
    {"chapAuthSession", "bool"}, {"fsType", "string"}, {"initiatorName", "string"},
    {"iqn", "string"}, {"iscsiInterface", "string"}, {"lun", "int"}, {"portals", "list(string)"},
    {"readOnly", "bool"}, {"secretRef", "LocalObjectReference"}, {"targetPortal", "string"}};
constexpr JsonField kNFSVolumeSource[] = {{"path", "string"}, {"readOnly", "bool"},
    {"server", "string"}};
constexpr JsonField kPersistentVolumeClaimVolumeSource[] = {{"claimName", "string"},
    {"readOnly", "bool"}};
constexpr JsonField kPhotonPersistentDiskVolumeSource[] = {{"fsType", "string"},
    {"pdID", "string"}};
constexpr JsonField kPortworxVolumeSource[] = {{"fsType", "string"}, {"readOnly", "bool"},
    {"volumeID", "string"}};
constexpr JsonField kProjectedVolumeSource[] = {{"defaultMode", "int"},
    {"sources", "list(VolumeProjection)"}};
constexpr JsonField kQuobyteVolumeSource[] = {{"group", "string"}, {"readOnly", "bool"},
    {"registry", "string"}, {"tenant", "string"}, {"user", "string"}, {"volume", "string"}};
constexpr JsonField kRBDVolumeSource[] = {{"fsType", "string"}, {"image", "string"},
    {"keyring", "string"}, {"monitors", "list(string)"}, {"pool", "string"}, {"readOnly", "bool"},
    {"secretRef", "LocalObjectReference"}, {"user", "string"}};
constexpr JsonField kScaleIOVolumeSource[] = {{"fsType", "string"}, {"gateway", "string"},
    {"protectionDomain", "string"}, {"readOnly", "bool"}, {"secretRef", "LocalObjectReference"},
    {"sslEnabled", "bool"}, {"storageMode", "string"}, {"storagePool", "string"},
    {"system", "string"}, {"volumeName", "string"}};
constexpr JsonField kSecretVolumeSource[] = {{"defaultMode", "int"}, {"items", "list(KeyToPath)"},
    {"optional", "bool"}, {"secretName", "string"}};
constexpr JsonField kStorageOSVolumeSource[] = {{"fsType", "string"}, {"readOnly", "bool"},
    {"secretRef", "LocalObjectReference"}, {"volumeName", "string"}, {"volumeNamespace", "string"}};
constexpr JsonField kVsphereVirtualDiskVolumeSource[] = {{"fsType", "string"},
    {"storagePolicyID", "string"}, {"storagePolicyName", "string"}, {"volumePath", "string"}};
constexpr JsonField kResourceStatus[] = {{"name", "string"}, {"resources", "list(ResourceHealth)"}};
constexpr JsonField kContainerState[] = {{"running", "ContainerStateRunning"},
    {"terminated", "ContainerStateTerminated"}, {"waiting", "ContainerStateWaiting"}};
constexpr JsonField kContainerUser[] = {{"linux", "LinuxContainerUser"}};
constexpr JsonField kVolumeMountStatus[] = {{"mountPath", "string"}, {"name", "string"},
    {"readOnly", "bool"}, {"recursiveReadOnly", "string"}, {"volumeStatus", "VolumeStatus"}};
constexpr JsonField kContainerExtendedResourceRequest[] = {{"containerName", "string"},
    {"requestName", "string"}, {"resourceName", "string"}};
constexpr JsonField kPreferredSchedulingTerm[] = {{"preference", "NodeSelectorTerm"},
    {"weight", "int"}};
constexpr JsonField kNodeSelector[] = {{"nodeSelectorTerms", "list(NodeSelectorTerm)"}};
constexpr JsonField kWeightedPodAffinityTerm[] = {{"podAffinityTerm", "PodAffinityTerm"},
    {"weight", "int"}};
constexpr JsonField kPodAffinityTerm[] = {{"labelSelector", "LabelSelector"},
    {"matchLabelKeys", "list(string)"}, {"mismatchLabelKeys", "list(string)"},
    {"namespaceSelector", "LabelSelector"}, {"namespaces", "list(string)"},
    {"topologyKey", "string"}};
constexpr JsonField kEnvVarSource[] = {{"configMapKeyRef", "ConfigMapKeySelector"},
    {"fieldRef", "ObjectFieldSelector"}, {"fileKeyRef", "FileKeySelector"},
    {"resourceFieldRef", "ResourceFieldSelector"}, {"secretKeyRef", "SecretKeySelector"}};
constexpr JsonField kConfigMapEnvSource[] = {{"name", "string"}, {"optional", "bool"}};
constexpr JsonField kSecretEnvSource[] = {{"name", "string"}, {"optional", "bool"}};
constexpr JsonField kLifecycleHandler[] = {{"exec", "ExecAction"}, {"httpGet", "HTTPGetAction"},
    {"sleep", "SleepAction"}, {"tcpSocket", "TCPSocketAction"}};
constexpr JsonField kExecAction[] = {{"command", "list(string)"}};
constexpr JsonField kGRPCAction[] = {{"port", "int"}, {"service", "string"}};
constexpr JsonField kHTTPGetAction[] = {{"host", "string"}, {"httpHeaders", "list(HTTPHeader)"},
    {"path", "string"}, {"port", "dyn"}, {"scheme", "string"}};
constexpr JsonField kTCPSocketAction[] = {{"host", "string"}, {"port", "dyn"}};
constexpr JsonField kContainerRestartRuleOnExitCodes[] = {{"operator", "string"},
    {"values", "list(int)"}};
constexpr JsonField kCapabilities[] = {{"add", "list(string)"}, {"drop", "list(string)"}};
constexpr JsonField kLabelSelectorRequirement[] = {{"key", "string"}, {"operator", "string"},
    {"values", "list(string)"}};
constexpr JsonField kKeyToPath[] = {{"key", "string"}, {"mode", "int"}, {"path", "string"}};
constexpr JsonField kDownwardAPIVolumeFile[] = {{"fieldRef", "ObjectFieldSelector"},
    {"mode", "int"}, {"path", "string"}, {"resourceFieldRef", "ResourceFieldSelector"}};
constexpr JsonField kPersistentVolumeClaimTemplate[] = {{"metadata", "ObjectMeta"},
    {"spec", "PersistentVolumeClaimSpec"}};
constexpr JsonField kVolumeProjection[] = {{"clusterTrustBundle", "ClusterTrustBundleProjection"},
    {"configMap", "ConfigMapProjection"}, {"downwardAPI", "DownwardAPIProjection"},
    {"podCertificate", "PodCertificateProjection"}, {"secret", "SecretProjection"},
    {"serviceAccountToken", "ServiceAccountTokenProjection"}};
constexpr JsonField kResourceHealth[] = {{"health", "string"}, {"message", "string"},
    {"resourceID", "string"}};
constexpr JsonField kContainerStateRunning[] = {{"startedAt", "string"}};
constexpr JsonField kContainerStateTerminated[] = {{"containerID", "string"}, {"exitCode", "int"},
    {"finishedAt", "string"}, {"message", "string"}, {"reason", "string"}, {"signal", "int"},
    {"startedAt", "string"}};
constexpr JsonField kContainerStateWaiting[] = {{"message", "string"}, {"reason", "string"}};
constexpr JsonField kLinuxContainerUser[] = {{"gid", "int"}, {"supplementalGroups", "list(int)"},
    {"uid", "int"}};
constexpr JsonField kVolumeStatus[] = {{"image", "ImageVolumeStatus"}};
constexpr JsonField kNodeSelectorTerm[] = {{"matchExpressions", "list(NodeSelectorRequirement)"},
    {"matchFields", "list(NodeSelectorRequirement)"}};
constexpr JsonField kConfigMapKeySelector[] = {{"key", "string"}, {"name", "string"},
    {"optional", "bool"}};
constexpr JsonField kObjectFieldSelector[] = {{"apiVersion", "string"}, {"fieldPath", "string"}};
constexpr JsonField kFileKeySelector[] = {{"key", "string"}, {"optional", "bool"},
    {"path", "string"}, {"volumeName", "string"}};
constexpr JsonField kResourceFieldSelector[] = {{"containerName", "string"}, {"divisor", "dyn"},
    {"resource", "string"}};
constexpr JsonField kSecretKeySelector[] = {{"key", "string"}, {"name", "string"},
    {"optional", "bool"}};
constexpr JsonField kSleepAction[] = {{"seconds", "int"}};
constexpr JsonField kHTTPHeader[] = {{"name", "string"}, {"value", "string"}};
constexpr JsonField kPersistentVolumeClaimSpec[] = {{"accessModes", "list(string)"},
    {"dataSource", "TypedLocalObjectReference"}, {"dataSourceRef", "TypedObjectReference"},
    {"resources", "VolumeResourceRequirements"}, {"selector", "LabelSelector"},
    {"storageClassName", "string"}, {"volumeAttributesClassName", "string"},
    {"volumeMode", "string"}, {"volumeName", "string"}};
constexpr JsonField kClusterTrustBundleProjection[] = {{"labelSelector", "LabelSelector"},
    {"name", "string"}, {"optional", "bool"}, {"path", "string"}, {"signerName", "string"}};
constexpr JsonField kConfigMapProjection[] = {{"items", "list(KeyToPath)"}, {"name", "string"},
    {"optional", "bool"}};
constexpr JsonField kDownwardAPIProjection[] = {{"items", "list(DownwardAPIVolumeFile)"}};
constexpr JsonField kPodCertificateProjection[] = {{"certificateChainPath", "string"},
    {"credentialBundlePath", "string"}, {"keyPath", "string"}, {"keyType", "string"},
    {"maxExpirationSeconds", "int"}, {"signerName", "string"},
    {"userAnnotations", "map(string, string)"}};
constexpr JsonField kSecretProjection[] = {{"items", "list(KeyToPath)"}, {"name", "string"},
    {"optional", "bool"}};
constexpr JsonField kServiceAccountTokenProjection[] = {{"audience", "string"},
    {"expirationSeconds", "int"}, {"path", "string"}};
constexpr JsonField kImageVolumeStatus[] = {{"imageRef", "string"}};
constexpr JsonField kNodeSelectorRequirement[] = {{"key", "string"}, {"operator", "string"},
    {"values", "list(string)"}};
constexpr JsonField kTypedLocalObjectReference[] = {{"apiGroup", "string"}, {"kind", "string"},
    {"name", "string"}};
constexpr JsonField kTypedObjectReference[] = {{"apiGroup", "string"}, {"kind", "string"},
    {"name", "string"}, {"namespace", "string"}};
constexpr JsonField kVolumeResourceRequirements[] = {{"limits", "map(string, dyn)"},
    {"requests", "map(string, dyn)"}};
constexpr JsonShape kShapes[] = {{"Pod", Openness::kOpen, kPod},
    {"ObjectMeta", Openness::kOpen, kObjectMeta}, {"PodSpec", Openness::kOpen, kPodSpec},
    {"PodStatus", Openness::kOpen, kPodStatus},
    {"ManagedFieldsEntry", Openness::kOpen, kManagedFieldsEntry},
    {"OwnerReference", Openness::kOpen, kOwnerReference}, {"Affinity", Openness::kOpen, kAffinity},
    {"Container", Openness::kOpen, kContainer}, {"PodDNSConfig", Openness::kOpen, kPodDNSConfig},
    {"EphemeralContainer", Openness::kOpen, kEphemeralContainer},
    {"HostAlias", Openness::kOpen, kHostAlias},
    {"LocalObjectReference", Openness::kOpen, kLocalObjectReference},
    {"PodOS", Openness::kOpen, kPodOS}, {"PodReadinessGate", Openness::kOpen, kPodReadinessGate},
    {"PodResourceClaim", Openness::kOpen, kPodResourceClaim},
    {"ResourceRequirements", Openness::kOpen, kResourceRequirements},
    {"PodSchedulingGate", Openness::kOpen, kPodSchedulingGate},
    {"PodSchedulingGroup", Openness::kOpen, kPodSchedulingGroup},
    {"PodSecurityContext", Openness::kOpen, kPodSecurityContext},
    {"Toleration", Openness::kOpen, kToleration},
    {"TopologySpreadConstraint", Openness::kOpen, kTopologySpreadConstraint},
    {"Volume", Openness::kOpen, kVolume}, {"PodCondition", Openness::kOpen, kPodCondition},
    {"ContainerStatus", Openness::kOpen, kContainerStatus},
    {"PodExtendedResourceClaimStatus", Openness::kOpen, kPodExtendedResourceClaimStatus},
    {"HostIP", Openness::kOpen, kHostIP},
    {"NodeAllocatableResourceClaimStatus", Openness::kOpen, kNodeAllocatableResourceClaimStatus},
    {"PodIP", Openness::kOpen, kPodIP},
    {"PodResourceClaimStatus", Openness::kOpen, kPodResourceClaimStatus},
    {"NodeAffinity", Openness::kOpen, kNodeAffinity},
    {"PodAffinity", Openness::kOpen, kPodAffinity},
    {"PodAntiAffinity", Openness::kOpen, kPodAntiAffinity}, {"EnvVar", Openness::kOpen, kEnvVar},
    {"EnvFromSource", Openness::kOpen, kEnvFromSource}, {"Lifecycle", Openness::kOpen, kLifecycle},
    {"Probe", Openness::kOpen, kProbe}, {"ContainerPort", Openness::kOpen, kContainerPort},
    {"ContainerResizePolicy", Openness::kOpen, kContainerResizePolicy},
    {"ContainerRestartRule", Openness::kOpen, kContainerRestartRule},
    {"SecurityContext", Openness::kOpen, kSecurityContext},
    {"VolumeDevice", Openness::kOpen, kVolumeDevice},
    {"VolumeMount", Openness::kOpen, kVolumeMount},
    {"PodDNSConfigOption", Openness::kOpen, kPodDNSConfigOption},
    {"ResourceClaim", Openness::kOpen, kResourceClaim},
    {"AppArmorProfile", Openness::kOpen, kAppArmorProfile},
    {"SELinuxOptions", Openness::kOpen, kSELinuxOptions},
    {"SeccompProfile", Openness::kOpen, kSeccompProfile}, {"Sysctl", Openness::kOpen, kSysctl},
    {"WindowsSecurityContextOptions", Openness::kOpen, kWindowsSecurityContextOptions},
    {"LabelSelector", Openness::kOpen, kLabelSelector},
    {"AWSElasticBlockStoreVolumeSource", Openness::kOpen, kAWSElasticBlockStoreVolumeSource},
    {"AzureDiskVolumeSource", Openness::kOpen, kAzureDiskVolumeSource},
    {"AzureFileVolumeSource", Openness::kOpen, kAzureFileVolumeSource},
    {"CephFSVolumeSource", Openness::kOpen, kCephFSVolumeSource},
    {"CinderVolumeSource", Openness::kOpen, kCinderVolumeSource},
    {"ConfigMapVolumeSource", Openness::kOpen, kConfigMapVolumeSource},
    {"CSIVolumeSource", Openness::kOpen, kCSIVolumeSource},
    {"DownwardAPIVolumeSource", Openness::kOpen, kDownwardAPIVolumeSource},
    {"EmptyDirVolumeSource", Openness::kOpen, kEmptyDirVolumeSource},
    {"EphemeralVolumeSource", Openness::kOpen, kEphemeralVolumeSource},
    {"FCVolumeSource", Openness::kOpen, kFCVolumeSource},
    {"FlexVolumeSource", Openness::kOpen, kFlexVolumeSource},
    {"FlockerVolumeSource", Openness::kOpen, kFlockerVolumeSource},
    {"GCEPersistentDiskVolumeSource", Openness::kOpen, kGCEPersistentDiskVolumeSource},
    {"GitRepoVolumeSource", Openness::kOpen, kGitRepoVolumeSource},
    {"GlusterfsVolumeSource", Openness::kOpen, kGlusterfsVolumeSource},
    {"HostPathVolumeSource", Openness::kOpen, kHostPathVolumeSource},
    {"ImageVolumeSource", Openness::kOpen, kImageVolumeSource},
    {"ISCSIVolumeSource", Openness::kOpen, kISCSIVolumeSource},
    {"NFSVolumeSource", Openness::kOpen, kNFSVolumeSource},
    {"PersistentVolumeClaimVolumeSource", Openness::kOpen, kPersistentVolumeClaimVolumeSource},
    {"PhotonPersistentDiskVolumeSource", Openness::kOpen, kPhotonPersistentDiskVolumeSource},
    {"PortworxVolumeSource", Openness::kOpen, kPortworxVolumeSource},
    {"ProjectedVolumeSource", Openness::kOpen, kProjectedVolumeSource},
    {"QuobyteVolumeSource", Openness::kOpen, kQuobyteVolumeSource},
    {"RBDVolumeSource", Openness::kOpen, kRBDVolumeSource},
    {"ScaleIOVolumeSource", Openness::kOpen, kScaleIOVolumeSource},
    {"SecretVolumeSource", Openness::kOpen, kSecretVolumeSource},
    {"StorageOSVolumeSource", Openness::kOpen, kStorageOSVolumeSource},
    {"VsphereVirtualDiskVolumeSource", Openness::kOpen, kVsphereVirtualDiskVolumeSource},
    {"ResourceStatus", Openness::kOpen, kResourceStatus},
    {"ContainerState", Openness::kOpen, kContainerState},
    {"ContainerUser", Openness::kOpen, kContainerUser},
    {"VolumeMountStatus", Openness::kOpen, kVolumeMountStatus},
    {"ContainerExtendedResourceRequest", Openness::kOpen, kContainerExtendedResourceRequest},
    {"PreferredSchedulingTerm", Openness::kOpen, kPreferredSchedulingTerm},
    {"NodeSelector", Openness::kOpen, kNodeSelector},
    {"WeightedPodAffinityTerm", Openness::kOpen, kWeightedPodAffinityTerm},
    {"PodAffinityTerm", Openness::kOpen, kPodAffinityTerm},
    {"EnvVarSource", Openness::kOpen, kEnvVarSource},
    {"ConfigMapEnvSource", Openness::kOpen, kConfigMapEnvSource},
    {"SecretEnvSource", Openness::kOpen, kSecretEnvSource},
    {"LifecycleHandler", Openness::kOpen, kLifecycleHandler},
    {"ExecAction", Openness::kOpen, kExecAction}, {"GRPCAction", Openness::kOpen, kGRPCAction},
    {"HTTPGetAction", Openness::kOpen, kHTTPGetAction},
    {"TCPSocketAction", Openness::kOpen, kTCPSocketAction},
    {"ContainerRestartRuleOnExitCodes", Openness::kOpen, kContainerRestartRuleOnExitCodes},
    {"Capabilities", Openness::kOpen, kCapabilities},
    {"LabelSelectorRequirement", Openness::kOpen, kLabelSelectorRequirement},
    {"KeyToPath", Openness::kOpen, kKeyToPath},
    {"DownwardAPIVolumeFile", Openness::kOpen, kDownwardAPIVolumeFile},
    {"PersistentVolumeClaimTemplate", Openness::kOpen, kPersistentVolumeClaimTemplate},
    {"VolumeProjection", Openness::kOpen, kVolumeProjection},
    {"ResourceHealth", Openness::kOpen, kResourceHealth},
    {"ContainerStateRunning", Openness::kOpen, kContainerStateRunning},
    {"ContainerStateTerminated", Openness::kOpen, kContainerStateTerminated},
    {"ContainerStateWaiting", Openness::kOpen, kContainerStateWaiting},
    {"LinuxContainerUser", Openness::kOpen, kLinuxContainerUser},
    {"VolumeStatus", Openness::kOpen, kVolumeStatus},
    {"NodeSelectorTerm", Openness::kOpen, kNodeSelectorTerm},
    {"ConfigMapKeySelector", Openness::kOpen, kConfigMapKeySelector},
    {"ObjectFieldSelector", Openness::kOpen, kObjectFieldSelector},
    {"FileKeySelector", Openness::kOpen, kFileKeySelector},
    {"ResourceFieldSelector", Openness::kOpen, kResourceFieldSelector},
    {"SecretKeySelector", Openness::kOpen, kSecretKeySelector},
    {"SleepAction", Openness::kOpen, kSleepAction}, {"HTTPHeader", Openness::kOpen, kHTTPHeader},
    {"PersistentVolumeClaimSpec", Openness::kOpen, kPersistentVolumeClaimSpec},
    {"ClusterTrustBundleProjection", Openness::kOpen, kClusterTrustBundleProjection},
    {"ConfigMapProjection", Openness::kOpen, kConfigMapProjection},
    {"DownwardAPIProjection", Openness::kOpen, kDownwardAPIProjection},
    {"PodCertificateProjection", Openness::kOpen, kPodCertificateProjection},
    {"SecretProjection", Openness::kOpen, kSecretProjection},
    {"ServiceAccountTokenProjection", Openness::kOpen, kServiceAccountTokenProjection},
    {"ImageVolumeStatus", Openness::kOpen, kImageVolumeStatus},
    {"NodeSelectorRequirement", Openness::kOpen, kNodeSelectorRequirement},
    {"TypedLocalObjectReference", Openness::kOpen, kTypedLocalObjectReference},
    {"TypedObjectReference", Openness::kOpen, kTypedObjectReference},
    {"VolumeResourceRequirements", Openness::kOpen, kVolumeResourceRequirements}};
// clang-format on

}  // namespace

std::span<const JsonShape> pod_shapes() {
  return kShapes;
}

}  // namespace berth::rules::cel

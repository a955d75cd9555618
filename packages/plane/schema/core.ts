// Written by scripts/gen-plane-schema.ts from a real API server; do not edit.
/** Types of the core group; the notation is in types.ts. */
export const core = `
AWSElasticBlockStoreVolumeSource fsType:s partition:i readOnly:b volumeID*:s
Affinity nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
AppArmorProfile localhostProfile:s type*:s
AttachedVolume devicePath*:s name*:s
AzureDiskVolumeSource cachingMode:s diskName*:s diskURI*:s fsType:s kind:s readOnly:b
AzureFilePersistentVolumeSource readOnly:b secretName*:s secretNamespace:s shareName*:s
AzureFileVolumeSource readOnly:b secretName*:s shareName*:s
Binding apiVersion:s kind:s metadata:ObjectMeta target*:ObjectReference
CSIPersistentVolumeSource controllerExpandSecretRef:SecretReference controllerPublishSecretRef:SecretReference driver*:s fsType:s nodeExpandSecretRef:SecretReference nodePublishSecretRef:SecretReference nodeStageSecretRef:SecretReference readOnly:b volumeAttributes:{s} volumeHandle*:s
CSIVolumeSource driver*:s fsType:s nodePublishSecretRef:LocalObjectReference readOnly:b volumeAttributes:{s}
Capabilities add:[s] drop:[s]
CephFSPersistentVolumeSource monitors*:[s] path:s readOnly:b secretFile:s secretRef:SecretReference user:s
CephFSVolumeSource monitors*:[s] path:s readOnly:b secretFile:s secretRef:LocalObjectReference user:s
CinderPersistentVolumeSource fsType:s readOnly:b secretRef:SecretReference volumeID*:s
CinderVolumeSource fsType:s readOnly:b secretRef:LocalObjectReference volumeID*:s
ClientIPConfig timeoutSeconds:i
ClusterTrustBundleProjection labelSelector:LabelSelector name:s optional:b path*:s signerName:s
ComponentCondition error:s message:s status*:s type*:s
ComponentStatus apiVersion:s conditions:[ComponentCondition]/type!type kind:s metadata:ObjectMeta
ConfigMap apiVersion:s binaryData:{y} data:{s} immutable:b kind:s metadata:ObjectMeta
ConfigMapEnvSource name:s optional:b
ConfigMapKeySelector^ key*:s name:s optional:b
ConfigMapNodeConfigSource kubeletConfigKey*:s name*:s namespace*:s resourceVersion:s uid:s
ConfigMapProjection items:[KeyToPath] name:s optional:b
ConfigMapVolumeSource defaultMode:i items:[KeyToPath] name:s optional:b
Container args:[s] command:[s] env:[EnvVar]/name!name envFrom:[EnvFromSource] image:s imagePullPolicy:s lifecycle:Lifecycle livenessProbe:Probe name*:s ports:[ContainerPort]/containerPort!containerPort,protocol readinessProbe:Probe resizePolicy:[ContainerResizePolicy] resources:ResourceRequirements restartPolicy:s restartPolicyRules:[ContainerRestartRule] securityContext:SecurityContext startupProbe:Probe stdin:b stdinOnce:b terminationMessagePath:s terminationMessagePolicy:s tty:b volumeDevices:[VolumeDevice]/devicePath!devicePath volumeMounts:[VolumeMount]/mountPath!mountPath workingDir:s
ContainerExtendedResourceRequest containerName*:s requestName*:s resourceName*:s
ContainerImage names:[s] sizeBytes:l
ContainerPort containerPort*:i hostIP:s hostPort:i name:s protocol:s
ContainerResizePolicy resourceName*:s restartPolicy*:s
ContainerRestartRule action*:s exitCodes:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator*:s values:[i]!
ContainerState running:ContainerStateRunning terminated:ContainerStateTerminated waiting:ContainerStateWaiting
ContainerStateRunning startedAt:t
ContainerStateTerminated containerID:s exitCode*:i finishedAt:t message:s reason:s signal:i startedAt:t
ContainerStateWaiting message:s reason:s
ContainerStatus allocatedResources:{q} allocatedResourcesStatus:[ResourceStatus]/name!name containerID:s image*:s imageID*:s lastState:ContainerState name*:s ready*:b resources:ResourceRequirements restartCount*:i started:b state:ContainerState stopSignal:s user:ContainerUser volumeMounts:[VolumeMountStatus]/mountPath!mountPath
ContainerUser linux:LinuxContainerUser
DaemonEndpoint Port*:i
DownwardAPIProjection items:[DownwardAPIVolumeFile]
DownwardAPIVolumeFile fieldRef:ObjectFieldSelector mode:i path*:s resourceFieldRef:ResourceFieldSelector
DownwardAPIVolumeSource defaultMode:i items:[DownwardAPIVolumeFile]
EmptyDirVolumeSource medium:s sizeLimit:q
EndpointAddress^ hostname:s ip*:s nodeName:s targetRef:ObjectReference
EndpointPort^ appProtocol:s name:s port*:i protocol:s
EndpointSubset addresses:[EndpointAddress] notReadyAddresses:[EndpointAddress] ports:[EndpointPort]
Endpoints apiVersion:s kind:s metadata:ObjectMeta subsets:[EndpointSubset]
EnvFromSource configMapRef:ConfigMapEnvSource prefix:s secretRef:SecretEnvSource
EnvVar name*:s value:s valueFrom:EnvVarSource
EnvVarSource configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector fileKeyRef:FileKeySelector resourceFieldRef:ResourceFieldSelector secretKeyRef:SecretKeySelector
EphemeralContainer args:[s] command:[s] env:[EnvVar]/name!name envFrom:[EnvFromSource] image:s imagePullPolicy:s lifecycle:Lifecycle livenessProbe:Probe name*:s ports:[ContainerPort]/containerPort!containerPort,protocol readinessProbe:Probe resizePolicy:[ContainerResizePolicy] resources:ResourceRequirements restartPolicy:s restartPolicyRules:[ContainerRestartRule] securityContext:SecurityContext startupProbe:Probe stdin:b stdinOnce:b targetContainerName:s terminationMessagePath:s terminationMessagePolicy:s tty:b volumeDevices:[VolumeDevice]/devicePath!devicePath volumeMounts:[VolumeMount]/mountPath!mountPath workingDir:s
EphemeralVolumeSource volumeClaimTemplate:PersistentVolumeClaimTemplate
Event action:s apiVersion:s count:i eventTime:u firstTimestamp:t involvedObject*:ObjectReference kind:s lastTimestamp:t message:s metadata*:ObjectMeta reason:s related:ObjectReference reportingComponent:s reportingInstance:s series:EventSeries source:EventSource type:s
EventSeries count:i lastObservedTime:u
EventSource component:s host:s
ExecAction command:[s]
FCVolumeSource fsType:s lun:i readOnly:b targetWWNs:[s] wwids:[s]
FileKeySelector^ key*:s optional:b path*:s volumeName*:s
FlexPersistentVolumeSource driver*:s fsType:s options:{s} readOnly:b secretRef:SecretReference
FlexVolumeSource driver*:s fsType:s options:{s} readOnly:b secretRef:LocalObjectReference
FlockerVolumeSource datasetName:s datasetUUID:s
GCEPersistentDiskVolumeSource fsType:s partition:i pdName*:s readOnly:b
GRPCAction port*:i service:s
GitRepoVolumeSource directory:s repository*:s revision:s
GlusterfsPersistentVolumeSource endpoints*:s endpointsNamespace:s path*:s readOnly:b
GlusterfsVolumeSource endpoints*:s path*:s readOnly:b
HTTPGetAction host:s httpHeaders:[HTTPHeader] path:s port*:x scheme:s
HTTPHeader name*:s value*:s
HostAlias hostnames:[s] ip*:s
HostIP ip*:s
HostPathVolumeSource path*:s type:s
ISCSIPersistentVolumeSource chapAuthDiscovery:b chapAuthSession:b fsType:s initiatorName:s iqn*:s iscsiInterface:s lun*:i portals:[s] readOnly:b secretRef:SecretReference targetPortal*:s
ISCSIVolumeSource chapAuthDiscovery:b chapAuthSession:b fsType:s initiatorName:s iqn*:s iscsiInterface:s lun*:i portals:[s] readOnly:b secretRef:LocalObjectReference targetPortal*:s
ImageVolumeSource pullPolicy:s reference:s
KeyToPath key*:s mode:i path*:s
Lifecycle postStart:LifecycleHandler preStop:LifecycleHandler stopSignal:s
LifecycleHandler exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction
LimitRange apiVersion:s kind:s metadata:ObjectMeta spec:LimitRangeSpec
LimitRangeItem default:{q} defaultRequest:{q} max:{q} maxLimitRequestRatio:{q} min:{q} type*:s
LimitRangeSpec limits*:[LimitRangeItem]
LinuxContainerUser gid*:l supplementalGroups:[l] uid*:l
LoadBalancerIngress hostname:s ip:s ipMode:s ports:[PortStatus]
LoadBalancerStatus ingress:[LoadBalancerIngress]
LocalObjectReference^ name:s
LocalVolumeSource fsType:s path*:s
ModifyVolumeStatus status*:s targetVolumeAttributesClassName:s
NFSVolumeSource path*:s readOnly:b server*:s
Namespace apiVersion:s kind:s metadata:ObjectMeta spec:NamespaceSpec status:NamespaceStatus
NamespaceCondition lastTransitionTime:t message:s reason:s status*:s type*:s
NamespaceSpec finalizers:[s]
NamespaceStatus conditions:[NamespaceCondition]/type!type phase:s
Node apiVersion:s kind:s metadata:ObjectMeta spec:NodeSpec status:NodeStatus
NodeAddress address*:s type*:s
NodeAffinity preferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm] requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
NodeCondition lastHeartbeatTime:t lastTransitionTime:t message:s reason:s status*:s type*:s
NodeConfigSource configMap:ConfigMapNodeConfigSource
NodeConfigStatus active:NodeConfigSource assigned:NodeConfigSource error:s lastKnownGood:NodeConfigSource
NodeDaemonEndpoints kubeletEndpoint:DaemonEndpoint
NodeFeatures supplementalGroupsPolicy:b
NodeRuntimeHandler features:NodeRuntimeHandlerFeatures name:s
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:b userNamespaces:b
NodeSelectorRequirement key*:s operator*:s values:[s]
NodeSelectorTerm^ matchExpressions:[NodeSelectorRequirement] matchFields:[NodeSelectorRequirement]
NodeSelector^ nodeSelectorTerms*:[NodeSelectorTerm]
NodeSpec configSource:NodeConfigSource externalID:s podCIDR:s podCIDRs:[s]/! providerID:s taints:[Taint] unschedulable:b
NodeStatus addresses:[NodeAddress]/type!type allocatable:{q} capacity:{q} conditions:[NodeCondition]/type!type config:NodeConfigStatus daemonEndpoints:NodeDaemonEndpoints features:NodeFeatures images:[ContainerImage] nodeInfo:NodeSystemInfo phase:s runtimeHandlers:[NodeRuntimeHandler] volumesAttached:[AttachedVolume] volumesInUse:[s]
NodeSwapStatus capacity:l
NodeSystemInfo architecture*:s bootID*:s containerRuntimeVersion*:s kernelVersion*:s kubeProxyVersion*:s kubeletVersion*:s machineID*:s operatingSystem*:s osImage*:s swap:NodeSwapStatus systemUUID*:s
ObjectFieldSelector^ apiVersion:s fieldPath*:s
ObjectReference^ apiVersion:s fieldPath:s kind:s name:s namespace:s resourceVersion:s uid:s
PersistentVolume apiVersion:s kind:s metadata:ObjectMeta spec:PersistentVolumeSpec status:PersistentVolumeStatus
PersistentVolumeClaim apiVersion:s kind:s metadata:ObjectMeta spec:PersistentVolumeClaimSpec status:PersistentVolumeClaimStatus
PersistentVolumeClaimCondition lastProbeTime:t lastTransitionTime:t message:s reason:s status*:s type*:s
PersistentVolumeClaimSpec accessModes:[s] dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference resources:VolumeResourceRequirements selector:LabelSelector storageClassName:s volumeAttributesClassName:s volumeMode:s volumeName:s
PersistentVolumeClaimStatus accessModes:[s] allocatedResourceStatuses:{s} allocatedResources:{q} capacity:{q} conditions:[PersistentVolumeClaimCondition]/type!type currentVolumeAttributesClassName:s modifyVolumeStatus:ModifyVolumeStatus phase:s
PersistentVolumeClaimTemplate metadata:ObjectMeta spec*:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource claimName*:s readOnly:b
PersistentVolumeSpec accessModes:[s] awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource azureFile:AzureFilePersistentVolumeSource capacity:{q} cephfs:CephFSPersistentVolumeSource cinder:CinderPersistentVolumeSource claimRef:ObjectReference csi:CSIPersistentVolumeSource fc:FCVolumeSource flexVolume:FlexPersistentVolumeSource flocker:FlockerVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource glusterfs:GlusterfsPersistentVolumeSource hostPath:HostPathVolumeSource iscsi:ISCSIPersistentVolumeSource local:LocalVolumeSource mountOptions:[s] nfs:NFSVolumeSource nodeAffinity:VolumeNodeAffinity persistentVolumeReclaimPolicy:s photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource quobyte:QuobyteVolumeSource rbd:RBDPersistentVolumeSource scaleIO:ScaleIOPersistentVolumeSource storageClassName:s storageos:StorageOSPersistentVolumeSource volumeAttributesClassName:s volumeMode:s vsphereVolume:VsphereVirtualDiskVolumeSource
PersistentVolumeStatus lastPhaseTransitionTime:t message:s phase:s reason:s
PhotonPersistentDiskVolumeSource fsType:s pdID*:s
Pod apiVersion:s kind:s metadata:ObjectMeta spec:PodSpec status:PodStatus
PodAffinity preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm] requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
PodAffinityTerm labelSelector:LabelSelector matchLabelKeys:[s] mismatchLabelKeys:[s] namespaceSelector:LabelSelector namespaces:[s] topologyKey*:s
PodAntiAffinity preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm] requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
PodCertificateProjection certificateChainPath:s credentialBundlePath:s keyPath:s keyType*:s maxExpirationSeconds:i signerName*:s
PodCondition lastProbeTime:t lastTransitionTime:t message:s observedGeneration:l reason:s status*:s type*:s
PodDNSConfig nameservers:[s] options:[PodDNSConfigOption] searches:[s]
PodDNSConfigOption name:s value:s
PodExtendedResourceClaimStatus requestMappings*:[ContainerExtendedResourceRequest] resourceClaimName*:s
PodIP ip*:s
PodOS name*:s
PodReadinessGate conditionType*:s
PodResourceClaim name*:s resourceClaimName:s resourceClaimTemplateName:s
PodResourceClaimStatus name*:s resourceClaimName:s
PodSchedulingGate name*:s
PodSecurityContext appArmorProfile:AppArmorProfile fsGroup:l fsGroupChangePolicy:s runAsGroup:l runAsNonRoot:b runAsUser:l seLinuxChangePolicy:s seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile supplementalGroups:[l] supplementalGroupsPolicy:s sysctls:[Sysctl] windowsOptions:WindowsSecurityContextOptions
PodSpec activeDeadlineSeconds:l affinity:Affinity automountServiceAccountToken:b containers*:[Container]/name!name dnsConfig:PodDNSConfig dnsPolicy:s enableServiceLinks:b ephemeralContainers:[EphemeralContainer]/name!name hostAliases:[HostAlias]/ip!ip hostIPC:b hostNetwork:b hostPID:b hostUsers:b hostname:s hostnameOverride:s imagePullSecrets:[LocalObjectReference]/name!name initContainers:[Container]/name!name nodeName:s nodeSelector:{s}^ os:PodOS overhead:{q} preemptionPolicy:s priority:i priorityClassName:s readinessGates:[PodReadinessGate] resourceClaims:[PodResourceClaim]/name!name~ resources:ResourceRequirements restartPolicy:s runtimeClassName:s schedulerName:s schedulingGates:[PodSchedulingGate]/name!name securityContext:PodSecurityContext serviceAccount:s serviceAccountName:s setHostnameAsFQDN:b shareProcessNamespace:b subdomain:s terminationGracePeriodSeconds:l tolerations:[Toleration] topologySpreadConstraints:[TopologySpreadConstraint]/topologyKey!topologyKey,whenUnsatisfiable volumes:[Volume]/name!name~
PodStatus conditions:[PodCondition]/type!type containerStatuses:[ContainerStatus] ephemeralContainerStatuses:[ContainerStatus] extendedResourceClaimStatus:PodExtendedResourceClaimStatus hostIP:s hostIPs:[HostIP]/ip initContainerStatuses:[ContainerStatus] message:s nominatedNodeName:s observedGeneration:l phase:s podIP:s podIPs:[PodIP]/ip!ip qosClass:s reason:s resize:s resourceClaimStatuses:[PodResourceClaimStatus]/name!name~ startTime:t
PodTemplate apiVersion:s kind:s metadata:ObjectMeta template:PodTemplateSpec
PodTemplateSpec metadata:ObjectMeta spec:PodSpec
PortStatus error:s port*:i protocol*:s
PortworxVolumeSource fsType:s readOnly:b volumeID*:s
PreferredSchedulingTerm preference*:NodeSelectorTerm weight*:i
Probe exec:ExecAction failureThreshold:i grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds:i periodSeconds:i successThreshold:i tcpSocket:TCPSocketAction terminationGracePeriodSeconds:l timeoutSeconds:i
ProjectedVolumeSource defaultMode:i sources:[VolumeProjection]
QuobyteVolumeSource group:s readOnly:b registry*:s tenant:s user:s volume*:s
RBDPersistentVolumeSource fsType:s image*:s keyring:s monitors*:[s] pool:s readOnly:b secretRef:SecretReference user:s
RBDVolumeSource fsType:s image*:s keyring:s monitors*:[s] pool:s readOnly:b secretRef:LocalObjectReference user:s
ReplicationController apiVersion:s kind:s metadata:ObjectMeta spec:ReplicationControllerSpec status:ReplicationControllerStatus
ReplicationControllerCondition lastTransitionTime:t message:s reason:s status*:s type*:s
ReplicationControllerSpec minReadySeconds:i replicas:i selector:{s}^ template:PodTemplateSpec
ReplicationControllerStatus availableReplicas:i conditions:[ReplicationControllerCondition]/type!type fullyLabeledReplicas:i observedGeneration:l readyReplicas:i replicas*:i
ResourceClaim name*:s request:s
ResourceFieldSelector^ containerName:s divisor:q resource*:s
ResourceHealth health:s resourceID*:s
ResourceQuota apiVersion:s kind:s metadata:ObjectMeta spec:ResourceQuotaSpec status:ResourceQuotaStatus
ResourceQuotaSpec hard:{q} scopeSelector:ScopeSelector scopes:[s]
ResourceQuotaStatus hard:{q} used:{q}
ResourceRequirements claims:[ResourceClaim]!name limits:{q} requests:{q}
ResourceStatus name*:s resources:[ResourceHealth]!resourceID
SELinuxOptions level:s role:s type:s user:s
ScaleIOPersistentVolumeSource fsType:s gateway*:s protectionDomain:s readOnly:b secretRef*:SecretReference sslEnabled:b storageMode:s storagePool:s system*:s volumeName:s
ScaleIOVolumeSource fsType:s gateway*:s protectionDomain:s readOnly:b secretRef*:LocalObjectReference sslEnabled:b storageMode:s storagePool:s system*:s volumeName:s
ScopeSelector^ matchExpressions:[ScopedResourceSelectorRequirement]
ScopedResourceSelectorRequirement operator*:s scopeName*:s values:[s]
SeccompProfile localhostProfile:s type*:s
Secret apiVersion:s data:{y} immutable:b kind:s metadata:ObjectMeta stringData:{s} type:s
SecretEnvSource name:s optional:b
SecretKeySelector^ key*:s name:s optional:b
SecretProjection items:[KeyToPath] name:s optional:b
SecretReference^ name:s namespace:s
SecretVolumeSource defaultMode:i items:[KeyToPath] optional:b secretName:s
SecurityContext allowPrivilegeEscalation:b appArmorProfile:AppArmorProfile capabilities:Capabilities privileged:b procMount:s readOnlyRootFilesystem:b runAsGroup:l runAsNonRoot:b runAsUser:l seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile windowsOptions:WindowsSecurityContextOptions
Service apiVersion:s kind:s metadata:ObjectMeta spec:ServiceSpec status:ServiceStatus
ServiceAccount apiVersion:s automountServiceAccountToken:b imagePullSecrets:[LocalObjectReference] kind:s metadata:ObjectMeta secrets:[ObjectReference]/name!name
ServiceAccountTokenProjection audience:s expirationSeconds:l path*:s
ServicePort appProtocol:s name:s nodePort:i port*:i protocol:s targetPort:x
ServiceSpec allocateLoadBalancerNodePorts:b clusterIP:s clusterIPs:[s] externalIPs:[s] externalName:s externalTrafficPolicy:s healthCheckNodePort:i internalTrafficPolicy:s ipFamilies:[s] ipFamilyPolicy:s loadBalancerClass:s loadBalancerIP:s loadBalancerSourceRanges:[s] ports:[ServicePort]/port!port,protocol publishNotReadyAddresses:b selector:{s}^ sessionAffinity:s sessionAffinityConfig:SessionAffinityConfig trafficDistribution:s type:s
ServiceStatus conditions:[Condition]/type!type loadBalancer:LoadBalancerStatus
SessionAffinityConfig clientIP:ClientIPConfig
SleepAction seconds*:l
StorageOSPersistentVolumeSource fsType:s readOnly:b secretRef:ObjectReference volumeName:s volumeNamespace:s
StorageOSVolumeSource fsType:s readOnly:b secretRef:LocalObjectReference volumeName:s volumeNamespace:s
Sysctl name*:s value*:s
TCPSocketAction host:s port*:x
Taint effect*:s key*:s timeAdded:t value:s
Toleration effect:s key:s operator:s tolerationSeconds:l value:s
TopologySelectorLabelRequirement key*:s values*:[s]
TopologySelectorTerm^ matchLabelExpressions:[TopologySelectorLabelRequirement]
TopologySpreadConstraint labelSelector:LabelSelector matchLabelKeys:[s] maxSkew*:i minDomains:i nodeAffinityPolicy:s nodeTaintsPolicy:s topologyKey*:s whenUnsatisfiable*:s
TypedLocalObjectReference^ apiGroup:s kind*:s name*:s
TypedObjectReference apiGroup:s kind*:s name*:s namespace:s
Volume awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource azureFile:AzureFileVolumeSource cephfs:CephFSVolumeSource cinder:CinderVolumeSource configMap:ConfigMapVolumeSource csi:CSIVolumeSource downwardAPI:DownwardAPIVolumeSource emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource fc:FCVolumeSource flexVolume:FlexVolumeSource flocker:FlockerVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource gitRepo:GitRepoVolumeSource glusterfs:GlusterfsVolumeSource hostPath:HostPathVolumeSource image:ImageVolumeSource iscsi:ISCSIVolumeSource name*:s nfs:NFSVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource projected:ProjectedVolumeSource quobyte:QuobyteVolumeSource rbd:RBDVolumeSource scaleIO:ScaleIOVolumeSource secret:SecretVolumeSource storageos:StorageOSVolumeSource vsphereVolume:VsphereVirtualDiskVolumeSource
VolumeDevice devicePath*:s name*:s
VolumeMount mountPath*:s mountPropagation:s name*:s readOnly:b recursiveReadOnly:s subPath:s subPathExpr:s
VolumeMountStatus mountPath*:s name*:s readOnly:b recursiveReadOnly:s
VolumeNodeAffinity required:NodeSelector
VolumeProjection clusterTrustBundle:ClusterTrustBundleProjection configMap:ConfigMapProjection downwardAPI:DownwardAPIProjection podCertificate:PodCertificateProjection secret:SecretProjection serviceAccountToken:ServiceAccountTokenProjection
VolumeResourceRequirements limits:{q} requests:{q}
VsphereVirtualDiskVolumeSource fsType:s storagePolicyID:s storagePolicyName:s volumePath*:s
WeightedPodAffinityTerm podAffinityTerm*:PodAffinityTerm weight*:i
WindowsSecurityContextOptions gmsaCredentialSpec:s gmsaCredentialSpecName:s hostProcess:b runAsUserName:s
`;

// Written by scripts/gen-plane-numbers.ts from the published .proto files; do not edit.
/** One message a line: `Name field=number …`; `>Type` where the field is inlined in JSON. */
export const numbers = `
AWSElasticBlockStoreVolumeSource volumeID=1 fsType=2 partition=3 readOnly=4
Affinity nodeAffinity=1 podAffinity=2 podAntiAffinity=3
AggregationRule clusterRoleSelectors=1
AppArmorProfile type=1 localhostProfile=2
AttachedVolume name=1 devicePath=2
AuditAnnotation key=1 valueExpression=2
AzureDiskVolumeSource diskName=1 diskURI=2 cachingMode=3 fsType=4 readOnly=5 kind=6
AzureFilePersistentVolumeSource secretName=1 shareName=2 readOnly=3 secretNamespace=4
AzureFileVolumeSource secretName=1 shareName=2 readOnly=3
Binding metadata=1 target=2
BoundObjectReference kind=1 apiVersion=2 name=3 uID=4
CSIDriver metadata=1 spec=2
CSIDriverSpec attachRequired=1 podInfoOnMount=2 volumeLifecycleModes=3 storageCapacity=4 fsGroupPolicy=5 tokenRequests=6 requiresRepublish=7 seLinuxMount=8 nodeAllocatableUpdatePeriodSeconds=9
CSINode metadata=1 spec=2
CSINodeDriver name=1 nodeID=2 topologyKeys=3 allocatable=4
CSINodeSpec drivers=1
CSIPersistentVolumeSource driver=1 volumeHandle=2 readOnly=3 fsType=4 volumeAttributes=5 controllerPublishSecretRef=6 nodeStageSecretRef=7 nodePublishSecretRef=8 controllerExpandSecretRef=9 nodeExpandSecretRef=10
CSIStorageCapacity metadata=1 nodeTopology=2 storageClassName=3 capacity=4 maximumVolumeSize=5
CSIVolumeSource driver=1 readOnly=2 fsType=3 volumeAttributes=4 nodePublishSecretRef=5
Capabilities add=1 drop=2
CephFSPersistentVolumeSource monitors=1 path=2 user=3 secretFile=4 secretRef=5 readOnly=6
CephFSVolumeSource monitors=1 path=2 user=3 secretFile=4 secretRef=5 readOnly=6
CinderPersistentVolumeSource volumeID=1 fsType=2 readOnly=3 secretRef=4
CinderVolumeSource volumeID=1 fsType=2 readOnly=3 secretRef=4
ClientIPConfig timeoutSeconds=1
ClusterRole metadata=1 rules=2 aggregationRule=3
ClusterRoleBinding metadata=1 subjects=2 roleRef=3
ClusterTrustBundleProjection name=1 signerName=2 labelSelector=3 optional=5 path=4
ComponentCondition type=1 status=2 message=3 error=4
ComponentStatus metadata=1 conditions=2
Condition type=1 status=2 observedGeneration=3 lastTransitionTime=4 reason=5 message=6
ConfigMap metadata=1 immutable=4 data=2 binaryData=3
ConfigMapEnvSource localObjectReference=1>LocalObjectReference optional=2
ConfigMapKeySelector localObjectReference=1>LocalObjectReference key=2 optional=3
ConfigMapNodeConfigSource namespace=1 name=2 uid=3 resourceVersion=4 kubeletConfigKey=5
ConfigMapProjection localObjectReference=1>LocalObjectReference items=2 optional=4
ConfigMapVolumeSource localObjectReference=1>LocalObjectReference items=2 defaultMode=3 optional=4
Container name=1 image=2 command=3 args=4 workingDir=5 ports=6 envFrom=19 env=7 resources=8 resizePolicy=23 restartPolicy=24 restartPolicyRules=25 volumeMounts=9 volumeDevices=21 livenessProbe=10 readinessProbe=11 startupProbe=22 lifecycle=12 terminationMessagePath=13 terminationMessagePolicy=20 imagePullPolicy=14 securityContext=15 stdin=16 stdinOnce=17 tty=18
ContainerExtendedResourceRequest containerName=1 resourceName=2 requestName=3
ContainerImage names=1 sizeBytes=2
ContainerPort name=1 hostPort=2 containerPort=3 protocol=4 hostIP=5
ContainerResizePolicy resourceName=1 restartPolicy=2
ContainerResourceMetricSource name=1 target=2 container=3
ContainerResourceMetricStatus name=1 current=2 container=3
ContainerRestartRule action=1 exitCodes=2
ContainerRestartRuleOnExitCodes operator=1 values=2
ContainerState waiting=1 running=2 terminated=3
ContainerStateRunning startedAt=1
ContainerStateTerminated exitCode=1 signal=2 reason=3 message=4 startedAt=5 finishedAt=6 containerID=7
ContainerStateWaiting reason=1 message=2
ContainerStatus name=1 state=2 lastState=3 ready=4 restartCount=5 image=6 imageID=7 containerID=8 started=9 allocatedResources=10 resources=11 volumeMounts=12 user=13 allocatedResourcesStatus=14 stopSignal=15
ContainerUser linux=1
ControllerRevision metadata=1 data=2 revision=3
CronJob metadata=1 spec=2 status=3
CronJobSpec schedule=1 timeZone=8 startingDeadlineSeconds=2 concurrencyPolicy=3 suspend=4 jobTemplate=5 successfulJobsHistoryLimit=6 failedJobsHistoryLimit=7
CronJobStatus active=1 lastScheduleTime=4 lastSuccessfulTime=5
CrossVersionObjectReference kind=1 name=2 apiVersion=3
DaemonEndpoint Port=1
DaemonSet metadata=1 spec=2 status=3
DaemonSetCondition type=1 status=2 lastTransitionTime=3 reason=4 message=5
DaemonSetSpec selector=1 template=2 updateStrategy=3 minReadySeconds=4 revisionHistoryLimit=6
DaemonSetStatus currentNumberScheduled=1 numberMisscheduled=2 desiredNumberScheduled=3 numberReady=4 observedGeneration=5 updatedNumberScheduled=6 numberAvailable=7 numberUnavailable=8 collisionCount=9 conditions=10
DaemonSetUpdateStrategy type=1 rollingUpdate=2
Deployment metadata=1 spec=2 status=3
DeploymentCondition type=1 status=2 lastUpdateTime=6 lastTransitionTime=7 reason=4 message=5
DeploymentSpec replicas=1 selector=2 template=3 strategy=4 minReadySeconds=5 revisionHistoryLimit=6 paused=7 progressDeadlineSeconds=9
DeploymentStatus observedGeneration=1 replicas=2 updatedReplicas=3 readyReplicas=7 availableReplicas=4 unavailableReplicas=5 terminatingReplicas=9 conditions=6 collisionCount=8
DeploymentStrategy type=1 rollingUpdate=2
DownwardAPIProjection items=1
DownwardAPIVolumeFile path=1 fieldRef=2 resourceFieldRef=3 mode=4
DownwardAPIVolumeSource items=1 defaultMode=2
EmptyDirVolumeSource medium=1 sizeLimit=2
Endpoint addresses=1 conditions=2 hostname=3 targetRef=4 deprecatedTopology=5 nodeName=6 zone=7 hints=8
EndpointAddress ip=1 hostname=3 nodeName=4 targetRef=2
EndpointConditions ready=1 serving=2 terminating=3
EndpointHints forZones=1 forNodes=2
EndpointPort name=1 port=2 protocol=3 appProtocol=4
EndpointSlice metadata=1 addressType=4 endpoints=2 ports=3
EndpointSubset addresses=1 notReadyAddresses=2 ports=3
Endpoints metadata=1 subsets=2
EnvFromSource prefix=1 configMapRef=2 secretRef=3
EnvVar name=1 value=2 valueFrom=3
EnvVarSource fieldRef=1 resourceFieldRef=2 configMapKeyRef=3 secretKeyRef=4 fileKeyRef=5
EphemeralContainer ephemeralContainerCommon=1>EphemeralContainerCommon targetContainerName=2
EphemeralContainerCommon name=1 image=2 command=3 args=4 workingDir=5 ports=6 envFrom=19 env=7 resources=8 resizePolicy=23 restartPolicy=24 restartPolicyRules=25 volumeMounts=9 volumeDevices=21 livenessProbe=10 readinessProbe=11 startupProbe=22 lifecycle=12 terminationMessagePath=13 terminationMessagePolicy=20 imagePullPolicy=14 securityContext=15 stdin=16 stdinOnce=17 tty=18
EphemeralVolumeSource volumeClaimTemplate=1
Event metadata=1 involvedObject=2 reason=3 message=4 source=5 firstTimestamp=6 lastTimestamp=7 count=8 type=9 eventTime=10 series=11 action=12 related=13 reportingComponent=14 reportingInstance=15
EventSeries count=1 lastObservedTime=2
EventSource component=1 host=2
Eviction metadata=1 deleteOptions=2
ExecAction command=1
ExpressionWarning fieldRef=2 warning=3
ExternalMetricSource metric=1 target=2
ExternalMetricStatus metric=1 current=2
FCVolumeSource targetWWNs=1 lun=2 fsType=3 readOnly=4 wwids=5
FieldSelectorAttributes rawSelector=1 requirements=2
FieldSelectorRequirement key=1 operator=2 values=3
FileKeySelector volumeName=1 path=2 key=3 optional=4
FlexPersistentVolumeSource driver=1 fsType=2 secretRef=3 readOnly=4 options=5
FlexVolumeSource driver=1 fsType=2 secretRef=3 readOnly=4 options=5
FlockerVolumeSource datasetName=1 datasetUUID=2
ForNode name=1
ForZone name=1
GCEPersistentDiskVolumeSource pdName=1 fsType=2 partition=3 readOnly=4
GRPCAction port=1 service=2
GitRepoVolumeSource repository=1 revision=2 directory=3
GlusterfsPersistentVolumeSource endpoints=1 path=2 readOnly=3 endpointsNamespace=4
GlusterfsVolumeSource endpoints=1 path=2 readOnly=3
HPAScalingPolicy type=1 value=2 periodSeconds=3
HPAScalingRules stabilizationWindowSeconds=3 selectPolicy=1 policies=2 tolerance=4
HTTPGetAction path=1 port=2 host=3 scheme=4 httpHeaders=5
HTTPHeader name=1 value=2
HTTPIngressPath path=1 pathType=3 backend=2
HTTPIngressRuleValue paths=1
HorizontalPodAutoscaler metadata=1 spec=2 status=3
HorizontalPodAutoscalerBehavior scaleUp=1 scaleDown=2
HorizontalPodAutoscalerCondition type=1 status=2 lastTransitionTime=3 reason=4 message=5
HorizontalPodAutoscalerSpec scaleTargetRef=1 minReplicas=2 maxReplicas=3 metrics=4 behavior=5
HorizontalPodAutoscalerStatus observedGeneration=1 lastScaleTime=2 currentReplicas=3 desiredReplicas=4 currentMetrics=5 conditions=6
HostAlias ip=1 hostnames=2
HostIP ip=1
HostPathVolumeSource path=1 type=2
IPAddress metadata=1 spec=2
IPAddressSpec parentRef=1
IPBlock cidr=1 except=2
ISCSIPersistentVolumeSource targetPortal=1 iqn=2 lun=3 iscsiInterface=4 fsType=5 readOnly=6 portals=7 chapAuthDiscovery=8 chapAuthSession=11 secretRef=10 initiatorName=12
ISCSIVolumeSource targetPortal=1 iqn=2 lun=3 iscsiInterface=4 fsType=5 readOnly=6 portals=7 chapAuthDiscovery=8 chapAuthSession=11 secretRef=10 initiatorName=12
ImageVolumeSource reference=1 pullPolicy=2
Ingress metadata=1 spec=2 status=3
IngressBackend service=4 resource=3
IngressClass metadata=1 spec=2
IngressClassParametersReference aPIGroup=1 kind=2 name=3 scope=4 namespace=5
IngressClassSpec controller=1 parameters=2
IngressLoadBalancerIngress ip=1 hostname=2 ports=4
IngressLoadBalancerStatus ingress=1
IngressPortStatus port=1 protocol=2 error=3
IngressRule host=1 ingressRuleValue=2>IngressRuleValue
IngressRuleValue http=1
IngressServiceBackend name=1 port=2
IngressSpec ingressClassName=4 defaultBackend=1 tls=2 rules=3
IngressStatus loadBalancer=1
IngressTLS hosts=1 secretName=2
Job metadata=1 spec=2 status=3
JobCondition type=1 status=2 lastProbeTime=3 lastTransitionTime=4 reason=5 message=6
JobSpec parallelism=1 completions=2 activeDeadlineSeconds=3 podFailurePolicy=11 successPolicy=16 backoffLimit=7 backoffLimitPerIndex=12 maxFailedIndexes=13 selector=4 manualSelector=5 template=6 ttlSecondsAfterFinished=8 completionMode=9 suspend=10 podReplacementPolicy=14 managedBy=15
JobStatus conditions=1 startTime=2 completionTime=3 active=4 succeeded=5 failed=6 terminating=11 completedIndexes=7 failedIndexes=10 uncountedTerminatedPods=8 ready=9
JobTemplateSpec metadata=1 spec=2
KeyToPath key=1 path=2 mode=3
LabelSelector matchLabels=1 matchExpressions=2
LabelSelectorAttributes rawSelector=1 requirements=2
LabelSelectorRequirement key=1 operator=2 values=3
Lease metadata=1 spec=2
LeaseSpec holderIdentity=1 leaseDurationSeconds=2 acquireTime=3 renewTime=4 leaseTransitions=5 strategy=6 preferredHolder=7
Lifecycle postStart=1 preStop=2 stopSignal=3
LifecycleHandler exec=1 httpGet=2 tcpSocket=3 sleep=4
LimitRange metadata=1 spec=2
LimitRangeItem type=1 max=2 min=3 default=4 defaultRequest=5 maxLimitRequestRatio=6
LimitRangeSpec limits=1
LinuxContainerUser uid=1 gid=2 supplementalGroups=3
ListMeta selfLink=1 resourceVersion=2 continue=3 remainingItemCount=4
LoadBalancerIngress ip=1 hostname=2 ipMode=3 ports=4
LoadBalancerStatus ingress=1
LocalObjectReference name=1
LocalSubjectAccessReview metadata=1 spec=2 status=3
LocalVolumeSource path=1 fsType=2
ManagedFieldsEntry manager=1 operation=2 apiVersion=3 time=4 fieldsType=6 fieldsV1=7 subresource=8
MatchCondition name=1 expression=2
MatchResources namespaceSelector=1 objectSelector=2 resourceRules=3 excludeResourceRules=4 matchPolicy=7
MetricIdentifier name=1 selector=2
MetricSpec type=1 object=2 pods=3 resource=4 containerResource=7 external=5
MetricStatus type=1 object=2 pods=3 resource=4 containerResource=7 external=5
MetricTarget type=1 value=2 averageValue=3 averageUtilization=4
MetricValueStatus value=1 averageValue=2 averageUtilization=3
ModifyVolumeStatus targetVolumeAttributesClassName=1 status=2
MutatingWebhook name=1 clientConfig=2 rules=3 failurePolicy=4 matchPolicy=9 namespaceSelector=5 objectSelector=11 sideEffects=6 timeoutSeconds=7 admissionReviewVersions=8 reinvocationPolicy=10 matchConditions=12
MutatingWebhookConfiguration metadata=1 webhooks=2
NFSVolumeSource server=1 path=2 readOnly=3
NamedRuleWithOperations resourceNames=1 ruleWithOperations=2>RuleWithOperations
Namespace metadata=1 spec=2 status=3
NamespaceCondition type=1 status=2 lastTransitionTime=4 reason=5 message=6
NamespaceSpec finalizers=1
NamespaceStatus phase=1 conditions=2
NetworkPolicy metadata=1 spec=2
NetworkPolicyEgressRule ports=1 to=2
NetworkPolicyIngressRule ports=1 from=2
NetworkPolicyPeer podSelector=1 namespaceSelector=2 ipBlock=3
NetworkPolicyPort protocol=1 port=2 endPort=3
NetworkPolicySpec podSelector=1 ingress=2 egress=3 policyTypes=4
Node metadata=1 spec=2 status=3
NodeAddress type=1 address=2
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution=1 preferredDuringSchedulingIgnoredDuringExecution=2
NodeCondition type=1 status=2 lastHeartbeatTime=3 lastTransitionTime=4 reason=5 message=6
NodeConfigSource configMap=2
NodeConfigStatus assigned=1 active=2 lastKnownGood=3 error=4
NodeDaemonEndpoints kubeletEndpoint=1
NodeFeatures supplementalGroupsPolicy=1
NodeRuntimeHandler name=1 features=2
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts=1 userNamespaces=2
NodeSelector nodeSelectorTerms=1
NodeSelectorRequirement key=1 operator=2 values=3
NodeSelectorTerm matchExpressions=1 matchFields=2
NodeSpec podCIDR=1 podCIDRs=7 providerID=3 unschedulable=4 taints=5 configSource=6 externalID=2
NodeStatus capacity=1 allocatable=2 phase=3 conditions=4 addresses=5 daemonEndpoints=6 nodeInfo=7 images=8 volumesInUse=9 volumesAttached=10 config=11 runtimeHandlers=12 features=13
NodeSwapStatus capacity=1
NodeSystemInfo machineID=1 systemUUID=2 bootID=3 kernelVersion=4 osImage=5 containerRuntimeVersion=6 kubeletVersion=7 kubeProxyVersion=8 operatingSystem=9 architecture=10 swap=11
NonResourceAttributes path=1 verb=2
NonResourceRule verbs=1 nonResourceURLs=2
ObjectFieldSelector apiVersion=1 fieldPath=2
ObjectMeta name=1 generateName=2 namespace=3 selfLink=4 uid=5 resourceVersion=6 generation=7 creationTimestamp=8 deletionTimestamp=9 deletionGracePeriodSeconds=10 labels=11 annotations=12 ownerReferences=13 finalizers=14 managedFields=17
ObjectMetricSource describedObject=1 target=2 metric=3
ObjectMetricStatus metric=1 current=2 describedObject=3
ObjectReference kind=1 namespace=2 name=3 uid=4 apiVersion=5 resourceVersion=6 fieldPath=7
OwnerReference apiVersion=5 kind=1 name=3 uid=4 controller=6 blockOwnerDeletion=7
ParamKind apiVersion=1 kind=2
ParamRef name=1 namespace=2 selector=3 parameterNotFoundAction=4
ParentReference group=1 resource=2 namespace=3 name=4
PersistentVolume metadata=1 spec=2 status=3
PersistentVolumeClaim metadata=1 spec=2 status=3
PersistentVolumeClaimCondition type=1 status=2 lastProbeTime=3 lastTransitionTime=4 reason=5 message=6
PersistentVolumeClaimSpec accessModes=1 selector=4 resources=2 volumeName=3 storageClassName=5 volumeMode=6 dataSource=7 dataSourceRef=8 volumeAttributesClassName=9
PersistentVolumeClaimStatus phase=1 accessModes=2 capacity=3 conditions=4 allocatedResources=5 allocatedResourceStatuses=7 currentVolumeAttributesClassName=8 modifyVolumeStatus=9
PersistentVolumeClaimTemplate metadata=1 spec=2
PersistentVolumeClaimVolumeSource claimName=1 readOnly=2
PersistentVolumeSource gcePersistentDisk=1 awsElasticBlockStore=2 hostPath=3 glusterfs=4 nfs=5 rbd=6 iscsi=7 cinder=8 cephfs=9 fc=10 flocker=11 flexVolume=12 azureFile=13 vsphereVolume=14 quobyte=15 azureDisk=16 photonPersistentDisk=17 portworxVolume=18 scaleIO=19 local=20 storageos=21 csi=22
PersistentVolumeSpec capacity=1 persistentVolumeSource=2>PersistentVolumeSource accessModes=3 claimRef=4 persistentVolumeReclaimPolicy=5 storageClassName=6 mountOptions=7 volumeMode=8 nodeAffinity=9 volumeAttributesClassName=10
PersistentVolumeStatus phase=1 message=2 reason=3 lastPhaseTransitionTime=4
PhotonPersistentDiskVolumeSource pdID=1 fsType=2
Pod metadata=1 spec=2 status=3
PodAffinity requiredDuringSchedulingIgnoredDuringExecution=1 preferredDuringSchedulingIgnoredDuringExecution=2
PodAffinityTerm labelSelector=1 namespaces=2 topologyKey=3 namespaceSelector=4 matchLabelKeys=5 mismatchLabelKeys=6
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution=1 preferredDuringSchedulingIgnoredDuringExecution=2
PodCertificateProjection signerName=1 keyType=2 maxExpirationSeconds=3 credentialBundlePath=4 keyPath=5 certificateChainPath=6
PodCondition type=1 observedGeneration=7 status=2 lastProbeTime=3 lastTransitionTime=4 reason=5 message=6
PodDNSConfig nameservers=1 searches=2 options=3
PodDNSConfigOption name=1 value=2
PodDisruptionBudget metadata=1 spec=2 status=3
PodDisruptionBudgetSpec minAvailable=1 selector=2 maxUnavailable=3 unhealthyPodEvictionPolicy=4
PodDisruptionBudgetStatus observedGeneration=1 disruptedPods=2 disruptionsAllowed=3 currentHealthy=4 desiredHealthy=5 expectedPods=6 conditions=7
PodExtendedResourceClaimStatus requestMappings=1 resourceClaimName=2
PodFailurePolicy rules=1
PodFailurePolicyOnExitCodesRequirement containerName=1 operator=2 values=3
PodFailurePolicyOnPodConditionsPattern type=1 status=2
PodFailurePolicyRule action=1 onExitCodes=2 onPodConditions=3
PodIP ip=1
PodOS name=1
PodReadinessGate conditionType=1
PodResourceClaim name=1 resourceClaimName=3 resourceClaimTemplateName=4
PodResourceClaimStatus name=1 resourceClaimName=2
PodSchedulingGate name=1
PodSecurityContext seLinuxOptions=1 windowsOptions=8 runAsUser=2 runAsGroup=6 runAsNonRoot=3 supplementalGroups=4 supplementalGroupsPolicy=12 fsGroup=5 sysctls=7 fsGroupChangePolicy=9 seccompProfile=10 appArmorProfile=11 seLinuxChangePolicy=13
PodSpec volumes=1 initContainers=20 containers=2 ephemeralContainers=34 restartPolicy=3 terminationGracePeriodSeconds=4 activeDeadlineSeconds=5 dnsPolicy=6 nodeSelector=7 serviceAccountName=8 serviceAccount=9 automountServiceAccountToken=21 nodeName=10 hostNetwork=11 hostPID=12 hostIPC=13 shareProcessNamespace=27 securityContext=14 imagePullSecrets=15 hostname=16 subdomain=17 affinity=18 schedulerName=19 tolerations=22 hostAliases=23 priorityClassName=24 priority=25 dnsConfig=26 readinessGates=28 runtimeClassName=29 enableServiceLinks=30 preemptionPolicy=31 overhead=32 topologySpreadConstraints=33 setHostnameAsFQDN=35 os=36 hostUsers=37 schedulingGates=38 resourceClaims=39 resources=40 hostnameOverride=41
PodStatus observedGeneration=17 phase=1 conditions=2 message=3 reason=4 nominatedNodeName=11 hostIP=5 hostIPs=16 podIP=6 podIPs=12 startTime=7 initContainerStatuses=10 containerStatuses=8 qosClass=9 ephemeralContainerStatuses=13 resize=14 resourceClaimStatuses=15 extendedResourceClaimStatus=18
PodTemplate metadata=1 template=2
PodTemplateSpec metadata=1 spec=2
PodsMetricSource metric=1 target=2
PodsMetricStatus metric=1 current=2
PolicyRule verbs=1 apiGroups=2 resources=3 resourceNames=4 nonResourceURLs=5
PortStatus port=1 protocol=2 error=3
PortworxVolumeSource volumeID=1 fsType=2 readOnly=3
Preconditions uid=1 resourceVersion=2
PreferredSchedulingTerm weight=1 preference=2
PriorityClass metadata=1 value=2 globalDefault=3 description=4 preemptionPolicy=5
Probe handler=1>ProbeHandler initialDelaySeconds=2 timeoutSeconds=3 periodSeconds=4 successThreshold=5 failureThreshold=6 terminationGracePeriodSeconds=7
ProbeHandler exec=1 httpGet=2 tcpSocket=3 grpc=4
ProjectedVolumeSource sources=1 defaultMode=2
QuobyteVolumeSource registry=1 volume=2 readOnly=3 user=4 group=5 tenant=6
RBDPersistentVolumeSource monitors=1 image=2 fsType=3 pool=4 user=5 keyring=6 secretRef=7 readOnly=8
RBDVolumeSource monitors=1 image=2 fsType=3 pool=4 user=5 keyring=6 secretRef=7 readOnly=8
ReplicaSet metadata=1 spec=2 status=3
ReplicaSetCondition type=1 status=2 lastTransitionTime=3 reason=4 message=5
ReplicaSetSpec replicas=1 minReadySeconds=4 selector=2 template=3
ReplicaSetStatus replicas=1 fullyLabeledReplicas=2 readyReplicas=4 availableReplicas=5 terminatingReplicas=7 observedGeneration=3 conditions=6
ReplicationController metadata=1 spec=2 status=3
ReplicationControllerCondition type=1 status=2 lastTransitionTime=3 reason=4 message=5
ReplicationControllerSpec replicas=1 minReadySeconds=4 selector=2 template=3
ReplicationControllerStatus replicas=1 fullyLabeledReplicas=2 readyReplicas=4 availableReplicas=5 observedGeneration=3 conditions=6
ResourceAttributes namespace=1 verb=2 group=3 version=4 resource=5 subresource=6 name=7 fieldSelector=8 labelSelector=9
ResourceClaim name=1 request=2
ResourceFieldSelector containerName=1 resource=2 divisor=3
ResourceHealth resourceID=1 health=2
ResourceMetricSource name=1 target=2
ResourceMetricStatus name=1 current=2
ResourceQuota metadata=1 spec=2 status=3
ResourceQuotaSpec hard=1 scopes=2 scopeSelector=3
ResourceQuotaStatus hard=1 used=2
ResourceRequirements limits=1 requests=2 claims=3
ResourceRule verbs=1 apiGroups=2 resources=3 resourceNames=4
ResourceStatus name=1 resources=2
Role metadata=1 rules=2
RoleBinding metadata=1 subjects=2 roleRef=3
RoleRef apiGroup=1 kind=2 name=3
RollingUpdateDaemonSet maxUnavailable=1 maxSurge=2
RollingUpdateDeployment maxUnavailable=1 maxSurge=2
RollingUpdateStatefulSetStrategy partition=1 maxUnavailable=2
Rule apiGroups=1 apiVersions=2 resources=3 scope=4
RuleWithOperations operations=1 rule=2>Rule
SELinuxOptions user=1 role=2 type=3 level=4
Scale metadata=1 spec=2 status=3
ScaleIOPersistentVolumeSource gateway=1 system=2 secretRef=3 sslEnabled=4 protectionDomain=5 storagePool=6 storageMode=7 volumeName=8 fsType=9 readOnly=10
ScaleIOVolumeSource gateway=1 system=2 secretRef=3 sslEnabled=4 protectionDomain=5 storagePool=6 storageMode=7 volumeName=8 fsType=9 readOnly=10
ScopeSelector matchExpressions=1
ScopedResourceSelectorRequirement scopeName=1 operator=2 values=3
SeccompProfile type=1 localhostProfile=2
Secret metadata=1 immutable=5 data=2 stringData=4 type=3
SecretEnvSource localObjectReference=1>LocalObjectReference optional=2
SecretKeySelector localObjectReference=1>LocalObjectReference key=2 optional=3
SecretProjection localObjectReference=1>LocalObjectReference items=2 optional=4
SecretReference name=1 namespace=2
SecretVolumeSource secretName=1 items=2 defaultMode=3 optional=4
SecurityContext capabilities=1 privileged=2 seLinuxOptions=3 windowsOptions=10 runAsUser=4 runAsGroup=8 runAsNonRoot=5 readOnlyRootFilesystem=6 allowPrivilegeEscalation=7 procMount=9 seccompProfile=11 appArmorProfile=12
SelfSubjectAccessReview metadata=1 spec=2 status=3
SelfSubjectAccessReviewSpec resourceAttributes=1 nonResourceAttributes=2
SelfSubjectReview metadata=1 status=2
SelfSubjectReviewStatus userInfo=1
SelfSubjectRulesReview metadata=1 spec=2 status=3
SelfSubjectRulesReviewSpec namespace=1
Service metadata=1 spec=2 status=3
ServiceAccount metadata=1 secrets=2 imagePullSecrets=3 automountServiceAccountToken=4
ServiceAccountTokenProjection audience=1 expirationSeconds=2 path=3
ServiceBackendPort name=1 number=2
ServiceCIDR metadata=1 spec=2 status=3
ServiceCIDRSpec cidrs=1
ServiceCIDRStatus conditions=1
ServicePort name=1 protocol=2 appProtocol=6 port=3 targetPort=4 nodePort=5
ServiceReference namespace=1 name=2 path=3 port=4
ServiceSpec ports=1 selector=2 clusterIP=3 clusterIPs=18 type=4 externalIPs=5 sessionAffinity=7 loadBalancerIP=8 loadBalancerSourceRanges=9 externalName=10 externalTrafficPolicy=11 healthCheckNodePort=12 publishNotReadyAddresses=13 sessionAffinityConfig=14 ipFamilies=19 ipFamilyPolicy=17 allocateLoadBalancerNodePorts=20 loadBalancerClass=21 internalTrafficPolicy=22 trafficDistribution=23
ServiceStatus loadBalancer=1 conditions=2
SessionAffinityConfig clientIP=1
SleepAction seconds=1
StatefulSet metadata=1 spec=2 status=3
StatefulSetCondition type=1 status=2 lastTransitionTime=3 reason=4 message=5
StatefulSetOrdinals start=1
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted=1 whenScaled=2
StatefulSetSpec replicas=1 selector=2 template=3 volumeClaimTemplates=4 serviceName=5 podManagementPolicy=6 updateStrategy=7 revisionHistoryLimit=8 minReadySeconds=9 persistentVolumeClaimRetentionPolicy=10 ordinals=11
StatefulSetStatus observedGeneration=1 replicas=2 readyReplicas=3 currentReplicas=4 updatedReplicas=5 currentRevision=6 updateRevision=7 collisionCount=9 conditions=10 availableReplicas=11
StatefulSetUpdateStrategy type=1 rollingUpdate=2
StatusCause reason=1 message=2 field=3
StatusDetails name=1 group=2 kind=3 uid=6 causes=4 retryAfterSeconds=5
StorageClass metadata=1 provisioner=2 parameters=3 reclaimPolicy=4 mountOptions=5 allowVolumeExpansion=6 volumeBindingMode=7 allowedTopologies=8
StorageOSPersistentVolumeSource volumeName=1 volumeNamespace=2 fsType=3 readOnly=4 secretRef=5
StorageOSVolumeSource volumeName=1 volumeNamespace=2 fsType=3 readOnly=4 secretRef=5
Subject kind=1 apiGroup=2 name=3 namespace=4
SubjectAccessReview metadata=1 spec=2 status=3
SubjectAccessReviewSpec resourceAttributes=1 nonResourceAttributes=2 user=3 groups=4 extra=5 uid=6
SubjectAccessReviewStatus allowed=1 denied=4 reason=2 evaluationError=3
SubjectRulesReviewStatus resourceRules=1 nonResourceRules=2 incomplete=3 evaluationError=4
SuccessPolicy rules=1
SuccessPolicyRule succeededIndexes=1 succeededCount=2
Sysctl name=1 value=2
TCPSocketAction port=1 host=2
Taint key=1 value=2 effect=3 timeAdded=4
TokenRequest metadata=1 spec=2>TokenRequestSpec status=3
TokenRequestSpec audiences=1 expirationSeconds=4 boundObjectRef=3
TokenRequestStatus token=1 expirationTimestamp=2
TokenReview metadata=1 spec=2 status=3
TokenReviewSpec token=1 audiences=2
TokenReviewStatus authenticated=1 user=2 audiences=4 error=3
Toleration key=1 operator=2 value=3 effect=4 tolerationSeconds=5
TopologySelectorLabelRequirement key=1 values=2
TopologySelectorTerm matchLabelExpressions=1
TopologySpreadConstraint maxSkew=1 topologyKey=2 whenUnsatisfiable=3 labelSelector=4 minDomains=5 nodeAffinityPolicy=6 nodeTaintsPolicy=7 matchLabelKeys=8
TypeChecking expressionWarnings=1
TypedLocalObjectReference apiGroup=1 kind=2 name=3
TypedObjectReference apiGroup=1 kind=2 name=3 namespace=4
UncountedTerminatedPods succeeded=1 failed=2
UserInfo username=1 uid=2 groups=3 extra=4
ValidatingAdmissionPolicy metadata=1 spec=2 status=3
ValidatingAdmissionPolicyBinding metadata=1 spec=2
ValidatingAdmissionPolicyBindingSpec policyName=1 paramRef=2 matchResources=3 validationActions=4
ValidatingAdmissionPolicySpec paramKind=1 matchConstraints=2 validations=3 failurePolicy=4 auditAnnotations=5 matchConditions=6 variables=7
ValidatingAdmissionPolicyStatus observedGeneration=1 typeChecking=2 conditions=3
ValidatingWebhook name=1 clientConfig=2 rules=3 failurePolicy=4 matchPolicy=9 namespaceSelector=5 objectSelector=10 sideEffects=6 timeoutSeconds=7 admissionReviewVersions=8 matchConditions=11
ValidatingWebhookConfiguration metadata=1 webhooks=2
Validation expression=1 message=2 reason=3 messageExpression=4
Variable name=1 expression=2
Volume name=1 volumeSource=2>VolumeSource
VolumeAttachment metadata=1 spec=2 status=3
VolumeAttachmentSource persistentVolumeName=1 inlineVolumeSpec=2
VolumeAttachmentSpec attacher=1 source=2 nodeName=3
VolumeAttachmentStatus attached=1 attachmentMetadata=2 attachError=3 detachError=4
VolumeAttributesClass metadata=1 driverName=2 parameters=3
VolumeDevice name=1 devicePath=2
VolumeError time=1 message=2 errorCode=3
VolumeMount name=1 readOnly=2 recursiveReadOnly=7 mountPath=3 subPath=4 mountPropagation=5 subPathExpr=6
VolumeMountStatus name=1 mountPath=2 readOnly=3 recursiveReadOnly=4
VolumeNodeAffinity required=1
VolumeNodeResources count=1
VolumeProjection secret=1 downwardAPI=2 configMap=3 serviceAccountToken=4 clusterTrustBundle=5 podCertificate=6
VolumeResourceRequirements limits=1 requests=2
VolumeSource hostPath=1 emptyDir=2 gcePersistentDisk=3 awsElasticBlockStore=4 gitRepo=5 secret=6 nfs=7 iscsi=8 glusterfs=9 persistentVolumeClaim=10 rbd=11 flexVolume=12 cinder=13 cephfs=14 flocker=15 downwardAPI=16 fc=17 azureFile=18 configMap=19 vsphereVolume=20 quobyte=21 azureDisk=22 photonPersistentDisk=23 projected=26 portworxVolume=24 scaleIO=25 storageos=27 csi=28 ephemeral=29 image=30
VsphereVirtualDiskVolumeSource volumePath=1 fsType=2 storagePolicyName=3 storagePolicyID=4
WebhookClientConfig url=3 service=1 caBundle=2
WeightedPodAffinityTerm weight=1 podAffinityTerm=2
WindowsSecurityContextOptions gmsaCredentialSpecName=1 gmsaCredentialSpec=2 runAsUserName=3 hostProcess=4
`;

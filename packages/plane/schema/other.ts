// Written by scripts/gen-plane-schema.ts from a real API server; do not edit.
/** Types of every other group and the shared metadata; the notation is in types.ts. */
export const other = `
AggregationRule clusterRoleSelectors:[LabelSelector]
AuditAnnotation key*:s valueExpression*:s
BoundObjectReference apiVersion:s kind:s name:s uid:s
CSIDriver apiVersion:s kind:s metadata:ObjectMeta spec*:CSIDriverSpec
CSIDriverSpec attachRequired:b fsGroupPolicy:s nodeAllocatableUpdatePeriodSeconds:l podInfoOnMount:b requiresRepublish:b seLinuxMount:b storageCapacity:b tokenRequests:[TokenRequest] volumeLifecycleModes:[s]!
CSINode apiVersion:s kind:s metadata:ObjectMeta spec*:CSINodeSpec
CSINodeDriver allocatable:VolumeNodeResources name*:s nodeID*:s topologyKeys:[s]
CSINodeSpec drivers*:[CSINodeDriver]/name!name
CSIStorageCapacity apiVersion:s capacity:q kind:s maximumVolumeSize:q metadata:ObjectMeta nodeTopology:LabelSelector storageClassName*:s
ClusterRole aggregationRule:AggregationRule apiVersion:s kind:s metadata:ObjectMeta rules:[PolicyRule]
ClusterRoleBinding apiVersion:s kind:s metadata:ObjectMeta roleRef*:RoleRef subjects:[Subject]
Condition lastTransitionTime*:t message*:s observedGeneration:l reason*:s status*:s type*:s
ContainerResourceMetricSource container*:s name*:s target*:MetricTarget
ContainerResourceMetricStatus container*:s current*:MetricValueStatus name*:s
ControllerRevision apiVersion:s data:r kind:s metadata:ObjectMeta revision*:l
CronJob apiVersion:s kind:s metadata:ObjectMeta spec:CronJobSpec status:CronJobStatus
CronJobSpec concurrencyPolicy:s failedJobsHistoryLimit:i jobTemplate*:JobTemplateSpec schedule*:s startingDeadlineSeconds:l successfulJobsHistoryLimit:i suspend:b timeZone:s
CronJobStatus active:[ObjectReference] lastScheduleTime:t lastSuccessfulTime:t
CrossVersionObjectReference apiVersion:s kind*:s name*:s
CustomResourceColumnDefinition description:s format:s jsonPath*:s name*:s priority:i type*:s
CustomResourceConversion strategy*:s webhook:WebhookConversion
CustomResourceDefinition apiVersion:s kind:s metadata:ObjectMeta spec*:CustomResourceDefinitionSpec status:CustomResourceDefinitionStatus
CustomResourceDefinitionCondition lastTransitionTime:t message:s reason:s status*:s type*:s
CustomResourceDefinitionNames categories:[s] kind*:s listKind:s plural*:s shortNames:[s] singular:s
CustomResourceDefinitionSpec conversion:CustomResourceConversion group*:s names*:CustomResourceDefinitionNames preserveUnknownFields:b scope*:s versions*:[CustomResourceDefinitionVersion]
CustomResourceDefinitionStatus acceptedNames:CustomResourceDefinitionNames conditions:[CustomResourceDefinitionCondition]!type storedVersions:[s]
CustomResourceDefinitionVersion additionalPrinterColumns:[CustomResourceColumnDefinition] deprecated:b deprecationWarning:s name*:s schema:CustomResourceValidation selectableFields:[SelectableField] served*:b storage*:b subresources:CustomResourceSubresources
CustomResourceSubresourceScale labelSelectorPath:s specReplicasPath*:s statusReplicasPath*:s
CustomResourceSubresources scale:CustomResourceSubresourceScale status:CustomResourceSubresourceStatus
CustomResourceValidation openAPIV3Schema:JSONSchemaProps
DaemonSet apiVersion:s kind:s metadata:ObjectMeta spec:DaemonSetSpec status:DaemonSetStatus
DaemonSetCondition lastTransitionTime:t message:s reason:s status*:s type*:s
DaemonSetSpec minReadySeconds:i revisionHistoryLimit:i selector*:LabelSelector template*:PodTemplateSpec updateStrategy:DaemonSetUpdateStrategy
DaemonSetStatus collisionCount:i conditions:[DaemonSetCondition]/type!type currentNumberScheduled*:i desiredNumberScheduled*:i numberAvailable:i numberMisscheduled*:i numberReady*:i numberUnavailable:i observedGeneration:l updatedNumberScheduled:i
DaemonSetUpdateStrategy rollingUpdate:RollingUpdateDaemonSet type:s
Deployment apiVersion:s kind:s metadata:ObjectMeta spec:DeploymentSpec status:DeploymentStatus
DeploymentCondition lastTransitionTime:t lastUpdateTime:t message:s reason:s status*:s type*:s
DeploymentSpec minReadySeconds:i paused:b progressDeadlineSeconds:i replicas:i revisionHistoryLimit:i selector*:LabelSelector strategy:DeploymentStrategy~ template*:PodTemplateSpec
DeploymentStatus availableReplicas:i collisionCount:i conditions:[DeploymentCondition]/type!type observedGeneration:l readyReplicas:i replicas:i terminatingReplicas:i unavailableReplicas:i updatedReplicas:i
DeploymentStrategy rollingUpdate:RollingUpdateDeployment type:s
Endpoint addresses*:[s]! conditions:EndpointConditions deprecatedTopology:{s} hints:EndpointHints hostname:s nodeName:s targetRef:ObjectReference zone:s
EndpointConditions ready:b serving:b terminating:b
EndpointHints forNodes:[ForNode] forZones:[ForZone]
EndpointSlice addressType*:s apiVersion:s endpoints*:[Endpoint] kind:s metadata:ObjectMeta ports:[discovery.EndpointPort]
Eviction apiVersion:s deleteOptions:DeleteOptions kind:s metadata:ObjectMeta
ExpressionWarning fieldRef*:s warning*:s
ExternalDocumentation description:s url:s
ExternalMetricSource metric*:MetricIdentifier target*:MetricTarget
ExternalMetricStatus current*:MetricValueStatus metric*:MetricIdentifier
FieldSelectorAttributes rawSelector:s requirements:[FieldSelectorRequirement]
FieldSelectorRequirement key*:s operator*:s values:[s]
ForNode name*:s
ForZone name*:s
HPAScalingPolicy periodSeconds*:i type*:s value*:i
HPAScalingRules policies:[HPAScalingPolicy] selectPolicy:s stabilizationWindowSeconds:i tolerance:q
HTTPIngressPath backend*:IngressBackend path:s pathType*:s
HTTPIngressRuleValue paths*:[HTTPIngressPath]
HorizontalPodAutoscaler apiVersion:s kind:s metadata:ObjectMeta spec:HorizontalPodAutoscalerSpec status:HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerBehavior scaleDown:HPAScalingRules scaleUp:HPAScalingRules
HorizontalPodAutoscalerCondition lastTransitionTime:t message:s reason:s status*:s type*:s
HorizontalPodAutoscalerSpec behavior:HorizontalPodAutoscalerBehavior maxReplicas*:i metrics:[MetricSpec] minReplicas:i scaleTargetRef*:CrossVersionObjectReference
HorizontalPodAutoscalerStatus conditions:[HorizontalPodAutoscalerCondition]/type!type currentMetrics:[MetricStatus] currentReplicas:i desiredReplicas*:i lastScaleTime:t observedGeneration:l
IPAddress apiVersion:s kind:s metadata:ObjectMeta spec:IPAddressSpec
IPAddressSpec parentRef*:ParentReference
IPBlock cidr*:s except:[s]
Ingress apiVersion:s kind:s metadata:ObjectMeta spec:IngressSpec status:IngressStatus
IngressBackend resource:TypedLocalObjectReference service:IngressServiceBackend
IngressClass apiVersion:s kind:s metadata:ObjectMeta spec:IngressClassSpec
IngressClassParametersReference apiGroup:s kind*:s name*:s namespace:s scope:s
IngressClassSpec controller:s parameters:IngressClassParametersReference
IngressLoadBalancerIngress hostname:s ip:s ports:[IngressPortStatus]
IngressLoadBalancerStatus ingress:[IngressLoadBalancerIngress]
IngressPortStatus error:s port*:i protocol*:s
IngressRule host:s http:HTTPIngressRuleValue
IngressServiceBackend name*:s port:ServiceBackendPort
IngressSpec defaultBackend:IngressBackend ingressClassName:s rules:[IngressRule] tls:[IngressTLS]
IngressStatus loadBalancer:IngressLoadBalancerStatus
IngressTLS hosts:[s] secretName:s
JSONSchemaProps $ref:s $schema:s additionalItems:a additionalProperties:a allOf:[JSONSchemaProps] anyOf:[JSONSchemaProps] default:a definitions:{JSONSchemaProps} dependencies:{a} description:s enum:[a] example:a exclusiveMaximum:b exclusiveMinimum:b externalDocs:ExternalDocumentation format:s id:s items:a maxItems:l maxLength:l maxProperties:l maximum:n minItems:l minLength:l minProperties:l minimum:n multipleOf:n not:JSONSchemaProps nullable:b oneOf:[JSONSchemaProps] pattern:s patternProperties:{JSONSchemaProps} properties:{JSONSchemaProps} required:[s] title:s type:s uniqueItems:b x-kubernetes-embedded-resource:b x-kubernetes-int-or-string:b x-kubernetes-list-map-keys:[s] x-kubernetes-list-type:s x-kubernetes-map-type:s x-kubernetes-preserve-unknown-fields:b x-kubernetes-validations:[ValidationRule]/rule!rule
Job apiVersion:s kind:s metadata:ObjectMeta spec:JobSpec status:JobStatus
JobCondition lastProbeTime:t lastTransitionTime:t message:s reason:s status*:s type*:s
JobSpec activeDeadlineSeconds:l backoffLimit:i backoffLimitPerIndex:i completionMode:s completions:i managedBy:s manualSelector:b maxFailedIndexes:i parallelism:i podFailurePolicy:PodFailurePolicy podReplacementPolicy:s selector:LabelSelector successPolicy:SuccessPolicy suspend:b template*:PodTemplateSpec ttlSecondsAfterFinished:i
JobStatus active:i completedIndexes:s completionTime:t conditions:[JobCondition]/type failed:i failedIndexes:s ready:i startTime:t succeeded:i terminating:i uncountedTerminatedPods:UncountedTerminatedPods
JobTemplateSpec metadata:ObjectMeta spec:JobSpec
LabelSelectorAttributes rawSelector:s requirements:[LabelSelectorRequirement]
LabelSelectorRequirement key*:s operator*:s values:[s]
LabelSelector^ matchExpressions:[LabelSelectorRequirement] matchLabels:{s}
Lease apiVersion:s kind:s metadata:ObjectMeta spec:LeaseSpec
LeaseSpec acquireTime:u holderIdentity:s leaseDurationSeconds:i leaseTransitions:i preferredHolder:s renewTime:u strategy:s
ListMeta continue:s remainingItemCount:l resourceVersion:s selfLink:s
LocalSubjectAccessReview apiVersion:s kind:s metadata:ObjectMeta spec*:SubjectAccessReviewSpec status:SubjectAccessReviewStatus
ManagedFieldsEntry apiVersion:s fieldsType:s fieldsV1:r manager:s operation:s subresource:s time:t
MatchCondition expression*:s name*:s
MatchResources^ excludeResourceRules:[NamedRuleWithOperations] matchPolicy:s namespaceSelector:LabelSelector objectSelector:LabelSelector resourceRules:[NamedRuleWithOperations]
MetricIdentifier name*:s selector:LabelSelector
MetricSpec containerResource:ContainerResourceMetricSource external:ExternalMetricSource object:ObjectMetricSource pods:PodsMetricSource resource:ResourceMetricSource type*:s
MetricStatus containerResource:ContainerResourceMetricStatus external:ExternalMetricStatus object:ObjectMetricStatus pods:PodsMetricStatus resource:ResourceMetricStatus type*:s
MetricTarget averageUtilization:i averageValue:q type*:s value:q
MetricValueStatus averageUtilization:i averageValue:q value:q
MutatingWebhook admissionReviewVersions*:[s] clientConfig*:WebhookClientConfig failurePolicy:s matchConditions:[MatchCondition]/name!name matchPolicy:s name*:s namespaceSelector:LabelSelector objectSelector:LabelSelector reinvocationPolicy:s rules:[RuleWithOperations] sideEffects*:s timeoutSeconds:i
MutatingWebhookConfiguration apiVersion:s kind:s metadata:ObjectMeta webhooks:[MutatingWebhook]/name!name
NamedRuleWithOperations^ apiGroups:[s] apiVersions:[s] operations:[s] resourceNames:[s] resources:[s] scope:s
NetworkPolicy apiVersion:s kind:s metadata:ObjectMeta spec:NetworkPolicySpec
NetworkPolicyEgressRule ports:[NetworkPolicyPort] to:[NetworkPolicyPeer]
NetworkPolicyIngressRule from:[NetworkPolicyPeer] ports:[NetworkPolicyPort]
NetworkPolicyPeer ipBlock:IPBlock namespaceSelector:LabelSelector podSelector:LabelSelector
NetworkPolicyPort endPort:i port:x protocol:s
NetworkPolicySpec egress:[NetworkPolicyEgressRule] ingress:[NetworkPolicyIngressRule] podSelector:LabelSelector policyTypes:[s]
NonResourceAttributes path:s verb:s
NonResourceRule nonResourceURLs:[s] verbs*:[s]
ObjectMeta annotations:{s} creationTimestamp:t deletionGracePeriodSeconds:l deletionTimestamp:t finalizers:[s]/! generateName:s generation:l labels:{s} managedFields:[ManagedFieldsEntry] name:s namespace:s ownerReferences:[OwnerReference]/uid!uid resourceVersion:s selfLink:s uid:s
ObjectMetricSource describedObject*:CrossVersionObjectReference metric*:MetricIdentifier target*:MetricTarget
ObjectMetricStatus current*:MetricValueStatus describedObject*:CrossVersionObjectReference metric*:MetricIdentifier
OwnerReference^ apiVersion*:s blockOwnerDeletion:b controller:b kind*:s name*:s uid*:s
ParamKind^ apiVersion:s kind:s
ParamRef^ name:s namespace:s parameterNotFoundAction:s selector:LabelSelector
ParentReference group:s name*:s namespace:s resource*:s
PodDisruptionBudget apiVersion:s kind:s metadata:ObjectMeta spec:PodDisruptionBudgetSpec status:PodDisruptionBudgetStatus
PodDisruptionBudgetSpec maxUnavailable:x minAvailable:x selector:LabelSelector unhealthyPodEvictionPolicy:s
PodDisruptionBudgetStatus conditions:[Condition]/type!type currentHealthy*:i desiredHealthy*:i disruptedPods:{t} disruptionsAllowed*:i expectedPods*:i observedGeneration:l
PodFailurePolicy rules*:[PodFailurePolicyRule]
PodFailurePolicyOnExitCodesRequirement containerName:s operator*:s values*:[i]!
PodFailurePolicyOnPodConditionsPattern status*:s type*:s
PodFailurePolicyRule action*:s onExitCodes:PodFailurePolicyOnExitCodesRequirement onPodConditions:[PodFailurePolicyOnPodConditionsPattern]
PodsMetricSource metric*:MetricIdentifier target*:MetricTarget
PodsMetricStatus current*:MetricValueStatus metric*:MetricIdentifier
PolicyRule apiGroups:[s] nonResourceURLs:[s] resourceNames:[s] resources:[s] verbs*:[s]
Preconditions resourceVersion:s uid:s
PriorityClass apiVersion:s description:s globalDefault:b kind:s metadata:ObjectMeta preemptionPolicy:s value*:i
ReplicaSet apiVersion:s kind:s metadata:ObjectMeta spec:ReplicaSetSpec status:ReplicaSetStatus
ReplicaSetCondition lastTransitionTime:t message:s reason:s status*:s type*:s
ReplicaSetSpec minReadySeconds:i replicas:i selector*:LabelSelector template:PodTemplateSpec
ReplicaSetStatus availableReplicas:i conditions:[ReplicaSetCondition]/type!type fullyLabeledReplicas:i observedGeneration:l readyReplicas:i replicas*:i terminatingReplicas:i
ResourceAttributes fieldSelector:FieldSelectorAttributes group:s labelSelector:LabelSelectorAttributes name:s namespace:s resource:s subresource:s verb:s version:s
ResourceMetricSource name*:s target*:MetricTarget
ResourceMetricStatus current*:MetricValueStatus name*:s
ResourceRule apiGroups:[s] resourceNames:[s] resources:[s] verbs*:[s]
Role apiVersion:s kind:s metadata:ObjectMeta rules:[PolicyRule]
RoleBinding apiVersion:s kind:s metadata:ObjectMeta roleRef*:RoleRef subjects:[Subject]
RoleRef^ apiGroup*:s kind*:s name*:s
RollingUpdateDaemonSet maxSurge:x maxUnavailable:x
RollingUpdateDeployment maxSurge:x maxUnavailable:x
RollingUpdateStatefulSetStrategy maxUnavailable:x partition:i
RuleWithOperations apiGroups:[s] apiVersions:[s] operations:[s] resources:[s] scope:s
Scale apiVersion:s kind:s metadata:ObjectMeta spec:v1.ScaleSpec status:v1.ScaleStatus
SelectableField jsonPath*:s
SelfSubjectAccessReview apiVersion:s kind:s metadata:ObjectMeta spec*:SelfSubjectAccessReviewSpec status:SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec nonResourceAttributes:NonResourceAttributes resourceAttributes:ResourceAttributes
SelfSubjectReview apiVersion:s kind:s metadata:ObjectMeta status:SelfSubjectReviewStatus
SelfSubjectReviewStatus userInfo:UserInfo
SelfSubjectRulesReview apiVersion:s kind:s metadata:ObjectMeta spec*:SelfSubjectRulesReviewSpec status:SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec namespace:s
ServiceBackendPort^ name:s number:i
ServiceCIDR apiVersion:s kind:s metadata:ObjectMeta spec:ServiceCIDRSpec status:ServiceCIDRStatus
ServiceCIDRSpec cidrs:[s]
ServiceCIDRStatus conditions:[Condition]/type!type
ServiceReference name*:s namespace*:s path:s port:i
ServiceReference name*:s namespace*:s path:s port:i
StatefulSet apiVersion:s kind:s metadata:ObjectMeta spec:StatefulSetSpec status:StatefulSetStatus
StatefulSetCondition lastTransitionTime:t message:s reason:s status*:s type*:s
StatefulSetOrdinals start:i
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:s whenScaled:s
StatefulSetSpec minReadySeconds:i ordinals:StatefulSetOrdinals persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy podManagementPolicy:s replicas:i revisionHistoryLimit:i selector*:LabelSelector serviceName:s template*:PodTemplateSpec updateStrategy:StatefulSetUpdateStrategy volumeClaimTemplates:[PersistentVolumeClaim]
StatefulSetStatus availableReplicas:i collisionCount:i conditions:[StatefulSetCondition]/type!type currentReplicas:i currentRevision:s observedGeneration:l readyReplicas:i replicas*:i updateRevision:s updatedReplicas:i
StatefulSetUpdateStrategy rollingUpdate:RollingUpdateStatefulSetStrategy type:s
StatusCause field:s message:s reason:s
StatusDetails causes:[StatusCause] group:s kind:s name:s retryAfterSeconds:i uid:s
StorageClass allowVolumeExpansion:b allowedTopologies:[TopologySelectorTerm] apiVersion:s kind:s metadata:ObjectMeta mountOptions:[s] parameters:{s} provisioner*:s reclaimPolicy:s volumeBindingMode:s
SubjectAccessReview apiVersion:s kind:s metadata:ObjectMeta spec*:SubjectAccessReviewSpec status:SubjectAccessReviewStatus
SubjectAccessReviewSpec extra:{[s]} groups:[s] nonResourceAttributes:NonResourceAttributes resourceAttributes:ResourceAttributes uid:s user:s
SubjectAccessReviewStatus allowed*:b denied:b evaluationError:s reason:s
SubjectRulesReviewStatus evaluationError:s incomplete*:b nonResourceRules*:[NonResourceRule] resourceRules*:[ResourceRule]
Subject^ apiGroup:s kind*:s name*:s namespace:s
SuccessPolicy rules*:[SuccessPolicyRule]
SuccessPolicyRule succeededCount:i succeededIndexes:s
TokenRequest apiVersion:s kind:s metadata:ObjectMeta spec*:TokenRequestSpec status:TokenRequestStatus
TokenRequest audience*:s expirationSeconds:l
TokenRequestSpec audiences*:[s] boundObjectRef:BoundObjectReference expirationSeconds:l
TokenRequestStatus expirationTimestamp*:t token*:s
TokenReview apiVersion:s kind:s metadata:ObjectMeta spec*:TokenReviewSpec status:TokenReviewStatus
TokenReviewSpec audiences:[s] token:s
TokenReviewStatus audiences:[s] authenticated:b error:s user:UserInfo
TypeChecking expressionWarnings:[ExpressionWarning]
UncountedTerminatedPods failed:[s]! succeeded:[s]!
UserInfo extra:{[s]} groups:[s] uid:s username:s
ValidatingAdmissionPolicy apiVersion:s kind:s metadata:ObjectMeta spec:ValidatingAdmissionPolicySpec status:ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyBinding apiVersion:s kind:s metadata:ObjectMeta spec:ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingSpec matchResources:MatchResources paramRef:ParamRef policyName:s validationActions:[s]!
ValidatingAdmissionPolicySpec auditAnnotations:[AuditAnnotation] failurePolicy:s matchConditions:[MatchCondition]/name!name matchConstraints:MatchResources paramKind:ParamKind validations:[Validation] variables:[Variable]/name!name
ValidatingAdmissionPolicyStatus conditions:[Condition]!type observedGeneration:l typeChecking:TypeChecking
ValidatingWebhook admissionReviewVersions*:[s] clientConfig*:WebhookClientConfig failurePolicy:s matchConditions:[MatchCondition]/name!name matchPolicy:s name*:s namespaceSelector:LabelSelector objectSelector:LabelSelector rules:[RuleWithOperations] sideEffects*:s timeoutSeconds:i
ValidatingWebhookConfiguration apiVersion:s kind:s metadata:ObjectMeta webhooks:[ValidatingWebhook]/name!name
Validation expression*:s message:s messageExpression:s reason:s
ValidationRule fieldPath:s message:s messageExpression:s optionalOldSelf:b reason:s rule*:s
Variable^ expression*:s name*:s
VolumeAttachment apiVersion:s kind:s metadata:ObjectMeta spec*:VolumeAttachmentSpec status:VolumeAttachmentStatus
VolumeAttachmentSource inlineVolumeSpec:PersistentVolumeSpec persistentVolumeName:s
VolumeAttachmentSpec attacher*:s nodeName*:s source*:VolumeAttachmentSource
VolumeAttachmentStatus attachError:VolumeError attached*:b attachmentMetadata:{s} detachError:VolumeError
VolumeAttributesClass apiVersion:s driverName*:s kind:s metadata:ObjectMeta parameters:{s}
VolumeError errorCode:i message:s time:t
VolumeNodeResources count:i
WebhookClientConfig caBundle:y service:ServiceReference url:s
WebhookClientConfig caBundle:y service:ServiceReference url:s
WebhookConversion clientConfig:WebhookClientConfig conversionReviewVersions*:[s]
discovery.EndpointPort^ appProtocol:s name:s port:i protocol:s
events.Event action:s apiVersion:s deprecatedCount:i deprecatedFirstTimestamp:t deprecatedLastTimestamp:t deprecatedSource:EventSource eventTime*:u kind:s metadata:ObjectMeta note:s reason:s regarding:ObjectReference related:ObjectReference reportingController:s reportingInstance:s series:events.EventSeries type:s
events.EventSeries count*:i lastObservedTime*:u
v1.CrossVersionObjectReference^ apiVersion:s kind*:s name*:s
v1.HorizontalPodAutoscaler apiVersion:s kind:s metadata:ObjectMeta spec:v1.HorizontalPodAutoscalerSpec status:v1.HorizontalPodAutoscalerStatus
v1.HorizontalPodAutoscalerSpec maxReplicas*:i minReplicas:i scaleTargetRef*:v1.CrossVersionObjectReference targetCPUUtilizationPercentage:i
v1.HorizontalPodAutoscalerStatus currentCPUUtilizationPercentage:i currentReplicas*:i desiredReplicas*:i lastScaleTime:t observedGeneration:l
v1.ScaleSpec replicas:i
v1.ScaleStatus replicas*:i selector:s
`;

// What a person does with kubectl, in order. Every step runs on both clusters and its output is compared.
const image = process.env["HEADWAY_TEST_IMAGE"] ?? "docker.io/local/tools:1";

/** One kubectl command. */
export interface Step {
  readonly args: string;
  /** Words after `--`, as they are. */
  readonly command?: readonly string[];
  readonly input?: string;
  /** For a watch: it is ended after this many lines, and after the first one these are run. */
  readonly lines?: number;
  readonly meanwhile?: readonly Step[];
  /** How fast it went shows in the lines before the last, which are not compared. */
  readonly last?: true;
  /** What it looks at moves on: it is asked again until it says this, for a minute. */
  readonly until?: RegExp;
  /** It is meant to be refused. */
  readonly fails?: true;
}

const yaml = (...objects: readonly object[]): string => objects.map((o) => JSON.stringify(o)).join("\n");

const container = (script: string, more: object = {}): object => ({
  name: "c",
  image,
  imagePullPolicy: "Never",
  command: ["sh", "-c", script],
  ...more,
});

const labels = { app: "web" };

const objects = yaml(
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", labels },
    data: { colour: "blue" },
  },
  {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "keys" },
    stringData: { user: "admin", password: "x" },
  },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", labels },
    spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "plain" },
    spec: { ports: [{ port: 80 }] },
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: "robot",
          terminationGracePeriodSeconds: 0,
          containers: [
            container("echo hello; exec sleep 100000", {
              env: [{ name: "COLOUR", valueFrom: { configMapKeyRef: { name: "settings", key: "colour" } } }],
              ports: [{ containerPort: 8080 }],
              resources: { requests: { cpu: "1m", memory: "1Mi" } },
              volumeMounts: [{ name: "scratch", mountPath: "/scratch" }],
            }),
          ],
          volumes: [{ name: "scratch", emptyDir: {} }],
        },
      },
    },
  },
);

const job = (name: string, script: string, spec: object = {}): object => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name },
  spec: {
    backoffLimit: 0,
    ...spec,
    template: { spec: { restartPolicy: "Never", containers: [container(script)] } },
  },
});

const pod = (name: string, script: string, spec: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: {
    terminationGracePeriodSeconds: 0,
    restartPolicy: "Never",
    ...spec,
    containers: [container(script)],
  },
});

const definition = yaml({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "boxes.kubectl.example.com" },
  spec: {
    group: "kubectl.example.com",
    scope: "Namespaced",
    names: { plural: "boxes", singular: "box", kind: "Box", shortNames: ["bx"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
          { name: "Colour", type: "string", jsonPath: ".spec.colour", priority: 1 },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer", minimum: 1 },
                  colour: { type: "string", default: "grey" },
                },
              },
              status: { type: "object", properties: { phase: { type: "string" } } },
            },
          },
        },
      },
    ],
  },
});

const box = (size: unknown): string =>
  yaml({ apiVersion: "kubectl.example.com/v1", kind: "Box", metadata: { name: "first" }, spec: { size } });

const on = (args: string, command?: readonly string[], input?: string): Step => ({
  args,
  ...(command && { command }),
  ...(input !== undefined && { input }),
});
const refused = (...step: Parameters<typeof on>): Step => ({ ...on(...step), fails: true });

const reading: readonly Step[] = [
  on("get deployments,services,configmaps,secrets,serviceaccounts"),
  on("get deploy web -o wide"),
  on("get rs -o wide"),
  on("get pods"),
  on("get pods --show-labels"),
  on("get pods -o name"),
  on("get pods -l app=web,app!=other --no-headers"),
  on("get pods --field-selector status.phase=Running"),
  refused("get pods --field-selector spec.nothing=1"),
  on("get cm settings -o jsonpath={.data.colour}"),
  on("get cm settings -o go-template={{.data.colour}}"),
  on("get deploy -o custom-columns=NAME:.metadata.name,WANTED:.spec.replicas"),
  on("get svc --sort-by=.metadata.name -L app"),
  refused("get pod nobody"),
  on("get pod nobody --ignore-not-found"),
  refused("get nothings"),
  on("get deploy web -o yaml"),
  on("get rs -o yaml"),
  on("get pods -o yaml"),
  on("get svc web -o yaml"),
  on("get cm settings -o yaml"),
  on("get secret keys -o yaml"),
  on("get sa robot -o yaml"),
  on("get ns NAMESPACE -o yaml"),
  on("get ns NAMESPACE"),
  on("describe deployment web"),
  on("describe replicaset"),
  on("describe pods"),
  // Without a selector: the embedded cluster makes no endpoints.
  on("describe service plain"),
  on("describe configmap settings"),
  on("describe secret keys"),
  on("describe serviceaccount robot"),
  on("describe namespace NAMESPACE"),
];

const changing: readonly Step[] = [
  on("apply -f -", undefined, objects),
  on("label configmap settings tier=front"),
  refused("label configmap settings tier=back"),
  on("label configmap settings tier=back --overwrite"),
  on("annotate configmap settings note=yes"),
  refused("patch configmap settings -p", undefined),
  on('patch configmap settings -p {"data":{"colour":"green"}}'),
  on('patch configmap settings --type=merge -p {"data":{"colour":null,"extra":"x"}}'),
  on('patch configmap settings --type=json -p [{"op":"replace","path":"/data/extra","value":"red"}]'),
  refused('patch configmap settings --type=json -p [{"op":"replace","path":"/nothing/here","value":"red"}]'),
  on('patch configmap settings -p {"data":{"colour":"red"}}'),
  on("get cm settings -o yaml"),
  refused('patch deployment web -p {"spec":{"selector":{"matchLabels":{"app":"other"}}}}'),
  refused('patch deployment web -p {"spec":{"replicas":"two"}}'),
  on("create configmap made --from-literal=a=1 --dry-run=server -o yaml"),
  on("create configmap made --from-literal=a=1"),
  refused("create configmap made --from-literal=a=1"),
  refused(
    "create -f -",
    undefined,
    yaml({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "Bad_Name" } }),
  ),
  refused(
    "create -f -",
    undefined,
    yaml({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "odd" }, datas: {} }),
  ),
  refused("create -f -", undefined, yaml({ apiVersion: "v1", kind: "Nothing", metadata: { name: "odd" } })),
  on(
    "replace -f -",
    undefined,
    yaml({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "made" }, data: { a: "2" } }),
  ),
  on(
    "apply --server-side -f -",
    undefined,
    yaml({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "sided" }, data: { a: "1" } }),
  ),
  refused(
    "diff -f -",
    undefined,
    yaml({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "absent" }, data: { a: "1" } }),
  ),
];

const scaling: readonly Step[] = [
  refused("scale deployment web --replicas=3 --current-replicas=5"),
  on("scale deployment web --replicas=1"),
  on("wait deployment/web --for=jsonpath={.status.replicas}=1 --timeout=60s"),
  { args: "rollout status deployment/web --timeout=60s", last: true },
  on("set env deployment/web EXTRA=1"),
  { args: "rollout status deployment/web --timeout=60s", last: true },
  on("wait deployment/web --for=jsonpath={.status.updatedReplicas}=1 --timeout=60s"),
  on("wait deployment/web --for=jsonpath={.status.replicas}=1 --timeout=60s"),
  on("rollout history deployment/web"),
  on("rollout undo deployment/web"),
  on("wait deployment/web --for=jsonpath={.status.observedGeneration}=4 --timeout=60s"),
  on("wait deployment/web --for=jsonpath={.status.replicas}=1 --timeout=60s"),
  on("rollout history deployment/web"),
  refused("wait pod/nobody --for=condition=Ready --timeout=1s"),
  refused("wait deployment/web --for=condition=Nothing --timeout=1s"),
];

const running: readonly Step[] = [
  on(
    "apply -f -",
    undefined,
    yaml(job("counts", "for i in 1 2 3; do echo line $i; sleep 2; done; printf end")),
  ),
  on("wait job/counts --for=jsonpath={.status.active}=1 --timeout=60s"),
  on("wait pod -l job-name=counts --for=jsonpath={.status.phase}=Running --timeout=60s"),
  on("logs -f job/counts"),
  on("wait job/counts --for=condition=Complete --timeout=60s"),
  on("get job counts"),
  on("get job counts -o yaml"),
  on("get pods -l job-name=counts -o yaml"),
  on("describe job counts"),
  on("logs job/counts --tail=1"),
  refused("logs job/counts -c nobody"),
  refused("logs nobody"),
  refused("logs job/counts --previous"),
  on("apply -f -", undefined, yaml(job("fails", "echo sorry; exit 3"))),
  on("wait job/fails --for=condition=Failed --timeout=60s"),
  on("get job fails -o yaml"),
  on("get pods -l job-name=fails"),
  on("get pods -l job-name=fails -o yaml"),
  on("apply -f -", undefined, yaml(pod("box", "trap exit TERM; echo ready; while :; do sleep 0.2; done"))),
  on("wait pod/box --for=condition=Ready --timeout=60s"),
  on("get pod box -o yaml"),
  on("exec box", ["echo", "one two", "three"]),
  refused("exec box", ["sh", "-c", "echo out; echo err >&2; exit 7"]),
  on("exec -i box", ["cat"], "typed\nin\n"),
  on("exec box", ["sh", "-c", "echo $HOSTNAME; pwd; echo ${HOME-none}"]),
  refused("exec box -c nobody", ["true"]),
  refused("exec nobody", ["true"]),
  on("exec deploy/web", ["sh", "-c", "echo $COLOUR; touch /scratch/x; ls /scratch"]),
  on("apply -f -", undefined, yaml(pod("crash", "exit 1", { restartPolicy: "OnFailure" }))),
  on(
    "wait pod/crash --for=jsonpath={.status.containerStatuses[0].state.waiting.reason}=CrashLoopBackOff --timeout=90s",
  ),
  { args: "get pod crash", until: / CrashLoopBackOff / },
];

const custom: readonly Step[] = [
  on("apply -f -", undefined, definition),
  on("wait crd/boxes.kubectl.example.com --for=condition=Established --timeout=60s"),
  on("get crd boxes.kubectl.example.com -o yaml"),
  on("apply -f -", undefined, box(3)),
  on("apply -f -", undefined, box(3)),
  on("apply -f -", undefined, box(4)),
  refused("apply -f -", undefined, box(0)),
  refused("apply -f -", undefined, box("large")),
  on("get boxes"),
  on("get bx -o wide"),
  on("get box first -o yaml"),
  on("describe box first"),
  on('patch box first --subresource=status --type=merge -p {"status":{"phase":"Open"}}'),
  on("get box first -o yaml"),
  on("delete box first"),
  on("delete crd boxes.kubectl.example.com"),
];

const watching: readonly Step[] = [
  on("create configmap seen --from-literal=a=1"),
  on("label configmap seen watched=yes"),
  {
    args: "get configmaps -l watched=yes -w --output-watch-events",
    lines: 5,
    meanwhile: [
      on('patch configmap seen -p {"data":{"b":"2"}}'),
      on("label configmap made watched=yes"),
      on("delete configmap seen"),
    ],
  },
];

const deleting: readonly Step[] = [
  on("delete pod box --wait"),
  refused("get pod box"),
  on("delete pod crash --force --grace-period=0"),
  refused("delete configmap nobody"),
  on("delete configmap nobody --ignore-not-found"),
  on("delete job counts fails"),
  on("wait pod -l job-name=counts --for=delete --timeout=60s"),
  on("delete deployment web --cascade=orphan"),
  on("get pods -l app=web"),
  on("get rs --sort-by=.spec.replicas"),
  on("delete rs -l app=web"),
  on("wait pod -l app=web --for=delete --timeout=60s"),
  on("get pods"),
  on("delete namespace NAMESPACE"),
  refused("get namespace NAMESPACE"),
];

/** The whole script. */
export const steps: readonly Step[] = [
  on("create namespace NAMESPACE"),
  on("wait serviceaccount/default --for=create --timeout=60s"),
  on("apply -f -", undefined, objects),
  on("apply -f -", undefined, objects),
  on("wait deployment/web --for=condition=Available --timeout=90s"),
  { args: "rollout status deployment/web --timeout=60s", last: true },
  ...reading,
  ...changing,
  ...scaling,
  ...running,
  ...custom,
  ...watching,
  ...deleting,
];

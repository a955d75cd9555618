import { chooseContext, mergeKubeconfigs } from "../../../src/kube/kubeconfig.ts";
import { mutateText } from "../bytes.ts";
import { anyJson, mutateJson } from "../json.ts";
import { target } from "../target.ts";

const sample = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": "a",
  contexts: [{ name: "a", context: { cluster: "c", user: "u", namespace: "shop" } }],
  clusters: [
    {
      name: "c",
      cluster: {
        server: "https://1.2.3.4:6443",
        "certificate-authority-data": "eA==",
        "tls-server-name": "k",
        "proxy-url": "http://p:1",
        extensions: [{ name: "e", extension: {} }],
      },
    },
  ],
  users: [
    {
      name: "u",
      user: {
        token: "t",
        "client-certificate": "c.pem",
        "as-groups": ["g"],
        "as-user-extra": { a: ["b"] },
        exec: {
          apiVersion: "client.authentication.k8s.io/v1",
          command: "./get",
          args: ["a"],
          env: [{ name: "A", value: "b" }],
          interactiveMode: "Never",
          provideClusterInfo: true,
        },
        "auth-provider": { name: "oidc", config: { "id-token": "x" } },
      },
    },
  ],
};
const yaml = `apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: &x {cluster: c, user: u}}]
clusters:
- name: c
  cluster:
    server: https://1.2.3.4
users:
- {name: u, user: {token: !!str 1, <<: *x}}
`;

export const kubeconfigs = target<{ readonly files: readonly string[] }>({
  name: "kubeconfigs",
  covers: "kubeconfig files, YAML and JSON, merged and chosen from",
  make: (random) => ({
    files: Array.from({ length: 1 + random.below(2) }, () =>
      random.oneIn(2)
        ? JSON.stringify(mutateJson(random, sample))
        : mutateText(random, yaml, JSON.stringify(anyJson(random))),
    ),
  }),
  run({ files }) {
    const merged = mergeKubeconfigs(files.map((text, i) => ({ path: `/f${i}`, text })));
    chooseContext(merged);
  },
});

import { expect, test, vi } from "vitest";
import { chooseContext, mergeKubeconfigs } from "./kubeconfig.ts";

const first = {
  path: "/home/a/one.yaml",
  text: `
current-context: dev
contexts:
- {name: dev, context: {cluster: dev, user: dev, namespace: apps}}
- {name: lost, context: {cluster: nowhere, user: dev}}
- {name: nobody, context: {cluster: dev, user: ghost}}
- {name: open, context: {cluster: dev}}
clusters:
- name: dev
  cluster:
    server: https://dev:6443
    certificate-authority: ca.crt
    tls-server-name: kubernetes
    proxy-url: http://proxy:3128
users:
- name: dev
  user: {client-certificate: certs/c.crt, client-key-data: S0VZ, as: alice, as-groups: [ops], as-user-extra: {scopes: [view]}}
`,
};
const second = {
  path: "/home/b/two.yaml",
  text: `
current-context: prod
contexts:
- {name: dev, context: {cluster: prod, user: prod}}
- {name: prod, context: {cluster: prod, user: prod}}
clusters:
- {name: prod, cluster: {server: "https://prod", insecure-skip-tls-verify: true}}
users:
- name: prod
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./get-token
      args: [--cluster, 1]
      env: [{name: REGION, value: eu}]
      installHint: install it
      interactiveMode: Never
      provideClusterInfo: true
`,
};

test("mergeKubeconfigs() lets the first file win, entry by entry", () => {
  const config = mergeKubeconfigs([first, second]);
  expect(chooseContext(config)).toEqual({
    context: "dev",
    namespace: "apps",
    cluster: {
      server: "https://dev:6443",
      insecure: false,
      caFile: "/home/a/ca.crt",
      tlsServerName: "kubernetes",
      proxyUrl: "http://proxy:3128",
    },
    user: {
      name: "dev",
      path: "/home/a/one.yaml",
      certFile: "/home/a/certs/c.crt",
      keyData: "S0VZ",
      as: "alice",
      asGroups: ["ops"],
      asExtra: { scopes: ["view"] },
    },
  });
});

test("chooseContext() finds a context of a later file, with its credential plugin", () => {
  expect(chooseContext(mergeKubeconfigs([first, second]), "prod")).toEqual({
    context: "prod",
    namespace: "default",
    cluster: { server: "https://prod", insecure: true },
    user: {
      name: "prod",
      path: "/home/b/two.yaml",
      exec: {
        apiVersion: "client.authentication.k8s.io/v1",
        command: "/home/b/get-token",
        args: ["--cluster", "1"],
        env: { REGION: "eu" },
        installHint: "install it",
        interactiveMode: "Never",
        provideClusterInfo: true,
      },
    },
  });
});

test("chooseContext() takes a context without a user as anonymous", () => {
  expect(chooseContext(mergeKubeconfigs([first]), "open").user).toEqual({ name: "", path: first.path });
});

test.each([
  ["an unknown context", "typo", 'context "typo" is not in "/home/a/one.yaml"'],
  ["a cluster that is not there", "lost", 'names cluster "nowhere"'],
  ["a user that is not there", "nobody", 'names user "ghost"'],
])("chooseContext() names %s", (_name, context, message) => {
  const choose = () => chooseContext(mergeKubeconfigs([first]), context);
  expect(choose).toThrow(expect.objectContaining({ code: "KUBE_CONFIG" }));
  expect(choose).toThrow(message);
});

test.each([
  ["no YAML", "a: [", "not readable YAML"],
  ["no mapping", "- 1", "not a mapping"],
  ["no context", "", "no current context"],
  [
    "no server",
    "{current-context: a, contexts: [{name: a, context: {cluster: c}}], clusters: [{name: c}]}",
    'cluster "c" in "/k" has no server',
  ],
])("a kubeconfig with %s says so", (_name, text, message) => {
  expect(() => chooseContext(mergeKubeconfigs([{ path: "/k", text }]))).toThrow(message);
});

test("a kubeconfig with an odd tag is read without a warning, which would print its line", () => {
  const warned = vi.spyOn(process, "emitWarning");
  mergeKubeconfigs([{ path: "/k", text: "users: [{name: u, user: {token: !!odd secret}}]" }]);
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { directAccess, findAccess } from "./access.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "access-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

function write(name: string, text: string): string {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
}

const config = (server: string, user: string) => `
current-context: c
contexts: [{name: c, context: {cluster: c, user: u, namespace: n}}]
clusters: [{name: c, cluster: {server: "${server}", certificate-authority-data: ${btoa("CA")}}}]
users: [{name: u, user: ${user}}]
`;

test("findAccess() takes the file that was asked for before KUBECONFIG", async () => {
  const asked = write("asked", config("https://asked/", "{token: t, as: eve, as-groups: [g]}"));
  const access = await findAccess({ kubeconfig: asked, env: { KUBECONFIG: "/nowhere" } });
  expect(access).toMatchObject({
    context: "c",
    server: "https://asked",
    namespace: "n",
    ca: "CA",
    insecure: false,
    impersonate: { "Impersonate-User": "eve", "Impersonate-Group": ["g"] },
  });
  expect(await access.credentials.get()).toEqual({ token: "t" });
});

test("findAccess() passes over missing files of KUBECONFIG, and --as replaces the file's", async () => {
  const there = write("there", config("https://there", "{as: eve, as-uid: '7', username: u, password: p}"));
  const env = { KUBECONFIG: `${join(dir, "missing")}:${there}` };
  const access = await findAccess({ env, as: "adam", asGroups: ["x", "y"], namespace: "mine" });
  expect(access.impersonate).toEqual({ "Impersonate-User": "adam", "Impersonate-Group": ["x", "y"] });
  expect(access.namespace).toBe("mine");
  expect(await access.credentials.get()).toEqual({ username: "u", password: "p" });
});

test("findAccess() reads client certificates from files beside the kubeconfig", async () => {
  write("c.crt", "CERT");
  const path = write(
    "k",
    config("https://x", `{client-certificate: c.crt, client-key-data: ${btoa("KEY")}}`),
  );
  expect(await (await findAccess({ kubeconfig: path })).credentials.get()).toEqual({
    cert: "CERT",
    key: "KEY",
  });
});

test("findAccess() uses the service account of a pod, and sees its token rotate", async () => {
  write("ca.crt", "POD CA");
  write("namespace", "apps\n");
  write("token", "one\n");
  const env = { HOME: dir, KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
  const access = await findAccess({ env, serviceAccountDir: dir });
  expect(access).toMatchObject({
    context: "in-cluster",
    server: "https://[fd00::1]:443",
    namespace: "apps",
    ca: "POD CA",
  });
  expect(await access.credentials.get()).toEqual({ token: "one" });
  write("token", "two\n");
  expect(await access.credentials.get()).toEqual({ token: "one" });
  expect(access.credentials.refused()).toBe(true);
  expect(await access.credentials.get()).toEqual({ token: "two" });
});

test.each([
  ["nothing at all", {}, "no cluster is named"],
  ["a file that is not there", { kubeconfig: "/nowhere/k" }, 'cannot read the kubeconfig "/nowhere/k"'],
])("findAccess() of %s", async (_name, options, message) => {
  const found = findAccess({ env: { HOME: dir }, ...options });
  await expect(found).rejects.toMatchObject({ code: "KUBE_CONFIG" });
  await expect(found).rejects.toThrow(message);
});

test("findAccess() refuses a server that is no address", async () => {
  const path = write("k", config("prod.example.com:6443", "{}"));
  await expect(findAccess({ kubeconfig: path })).rejects.toThrow(
    'the server of context "c" is not an address: "prod.example.com:6443"',
  );
});

test("findAccess() names a certificate that cannot be read", async () => {
  const path = write("k", config("https://x", "{client-certificate: gone.crt}"));
  await expect(findAccess({ kubeconfig: path })).rejects.toMatchObject({ code: "KUBE_CREDENTIALS" });
});

test("directAccess() names a cluster by its address", async () => {
  const access = directAccess({ server: "https://x:6443/", token: "t", ca: "CA", insecure: true });
  expect(access).toMatchObject({ server: "https://x:6443", ca: "CA", insecure: true, namespace: "default" });
  expect(await access.credentials.get()).toEqual({ token: "t" });
});

test("findAccess() knows credential plugins, and says which auth providers are gone", async () => {
  const exec = "{exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, args: [-c, 'echo $0']}}";
  const withPlugin = await findAccess({ kubeconfig: write("plugin", config("https://x", exec)), env: {} });
  await expect(withPlugin.credentials.get()).rejects.toMatchObject({ code: "KUBE_CREDENTIALS" });
  const gcp = write("gcp", config("https://x", "{auth-provider: {name: gcp}}"));
  await expect(findAccess({ kubeconfig: gcp })).rejects.toThrow('has the auth-provider "gcp"');
});

test("findAccess() joins a token file with a client certificate, and takes the proxy of the environment", async () => {
  write("token", "t\n");
  const path = write(
    "k",
    config("https://x", `{tokenFile: token, client-certificate-data: ${btoa("CERT")}}`),
  );
  const access = await findAccess({ kubeconfig: path, env: { HTTPS_PROXY: "http://proxy:3128" } });
  expect(await access.credentials.get()).toEqual({ token: "t", cert: "CERT" });
  expect(access.proxyUrl).toBe("http://proxy:3128/");
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ExecCredentialOptions, execCredentials, readCredential } from "./exec-credential.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plugin-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const v1 = "client.authentication.k8s.io/v1";

/** A plugin written in shell. */
function plugin(script: string, more: Partial<ExecCredentialOptions["exec"]> = {}): ExecCredentialOptions {
  const command = join(dir, "plugin");
  writeFileSync(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return {
    user: "u",
    cluster: {
      server: "https://c",
      insecure: false,
      extensions: [{ name: "client.authentication.k8s.io/exec", extension: { region: "eu" } }],
    },
    ca: "CA",
    env: { PATH: process.env["PATH"], DIR: dir },
    interactive: false,
    exec: {
      apiVersion: v1,
      command,
      args: ["one", "two words"],
      env: { EXTRA: "yes" },
      provideClusterInfo: true,
      interactiveMode: "IfAvailable",
      ...more,
    },
  };
}
const printing = (status: object) =>
  `cat <<'END'\n${JSON.stringify({ apiVersion: v1, kind: "ExecCredential", status })}\nEND`;

test("execCredentials() runs the plugin with its arguments, environment and the cluster it is for", async () => {
  const options = plugin(
    `echo "$EXTRA $1 $2" > "$DIR/args"; echo "$KUBERNETES_EXEC_INFO" > "$DIR/info"\n${printing({ token: "t" })}`,
  );
  expect(await execCredentials(options).get()).toEqual({ token: "t" });
  expect(readFileSync(join(dir, "args"), "utf8")).toBe("yes one two words\n");
  expect(JSON.parse(readFileSync(join(dir, "info"), "utf8"))).toEqual({
    apiVersion: v1,
    kind: "ExecCredential",
    spec: {
      interactive: false,
      cluster: { server: "https://c", "certificate-authority-data": btoa("CA"), config: { region: "eu" } },
    },
  });
});

test("execCredentials() keeps what it got until it ends or is refused, and runs once for many", async () => {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const script = `echo run >> "$DIR/runs"\n${printing({ token: "t", expirationTimestamp: "2026-01-01T01:00:00Z" })}`;
  const source = execCredentials({ ...plugin(script), now: () => now });
  const runs = () => readFileSync(join(dir, "runs"), "utf8").split("\n").length - 1;
  await Promise.all([source.get(), source.get(), source.get()]);
  expect(runs()).toBe(1);
  now += 59 * 60_000;
  await source.get();
  expect(runs()).toBe(1);
  now += 31_000; // half a minute before the end
  await source.get();
  expect(runs()).toBe(2);
  const fresh = execCredentials({
    ...plugin(`echo run >> "$DIR/runs"\n${printing({ token: "t" })}`),
    now: () => now,
  });
  await fresh.get();
  expect(fresh.refused()).toBe(true);
  await fresh.get();
  expect(runs()).toBe(4);
});

test("execCredentials() takes a client certificate", async () => {
  const status = { clientCertificateData: "CERT", clientKeyData: "KEY" };
  expect(await execCredentials(plugin(printing(status))).get()).toEqual({ cert: "CERT", key: "KEY" });
});

test.each<[string, string, Partial<ExecCredentialOptions["exec"]>, string]>([
  [
    "a failure, with its last word",
    "echo working >&2; echo expired login >&2; exit 3",
    {},
    "exit code 3: expired login",
  ],
  [
    "a missing command, with the hint",
    "",
    { command: "/nowhere/plugin", installHint: "get it" },
    "(ENOENT); get it",
  ],
  ["something else", "echo secret-stuff", {}, "something else than an ExecCredential"],
  ["no terminal", printing({ token: "t" }), { interactiveMode: "Always" }, "needs a terminal"],
  [
    "an old version",
    printing({ token: "t" }),
    { apiVersion: "client.authentication.k8s.io/v1alpha1" },
    "only v1",
  ],
  ["nothing in it", printing({}), {}, "neither a token nor a certificate"],
])("execCredentials() says what is wrong: %s", async (_name, script, more, message) => {
  const got = execCredentials(plugin(script, more)).get();
  await expect(got).rejects.toMatchObject({ code: "KUBE_CREDENTIALS" });
  await expect(got).rejects.toThrow(message);
  await expect(got).rejects.not.toThrow("secret-stuff");
});

test("readCredential() refuses another version than the one asked for", () => {
  const text = JSON.stringify({ apiVersion: `${v1}beta1`, kind: "ExecCredential", status: { token: "t" } });
  expect(() => readCredential(text, v1, (why) => new Error(why))).toThrow("another version");
});

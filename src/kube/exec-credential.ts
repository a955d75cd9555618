import { spawn } from "node:child_process";
import { AppError } from "../errors.ts";
import type { CredentialSource, Credentials } from "./credentials.ts";
import type { ClusterEntry, ExecEntry } from "./kubeconfig.ts";

/** What a credential plugin is run with. */
export interface ExecCredentialOptions {
  readonly exec: ExecEntry;
  readonly user: string;
  readonly cluster: ClusterEntry;
  /** PEM. */
  readonly ca: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person can be asked. */
  readonly interactive?: boolean;
  readonly now?: () => number;
}

/** A plugin that is silent about the end of its credentials gives them until the server refuses them. */
interface Kept {
  readonly credentials: Credentials;
  readonly expiresAt: number;
}

/** Asked again this long before the end, so that no request is sent with a token that ends on the way. */
const earlyMs = 30_000;
/** No credential is that large. */
const longestAnswerBytes = 1 << 20;

/** Credentials from a plugin, kept until they end or the server refuses them; one run at a time. */
export function execCredentials(options: ExecCredentialOptions): CredentialSource {
  const now = options.now ?? Date.now;
  let kept: Kept | undefined;
  let running: Promise<Kept> | undefined;
  return {
    async get() {
      if (kept && now() < kept.expiresAt - earlyMs) return kept.credentials;
      running ??= ask(options).finally(() => {
        running = undefined;
      });
      kept = await running;
      return kept.credentials;
    },
    refused() {
      const hadOne = kept !== undefined;
      kept = undefined;
      return hadOne;
    },
  };
}

async function ask(options: ExecCredentialOptions): Promise<Kept> {
  const { exec, user } = options;
  const tty = options.interactive ?? process.stdin.isTTY === true;
  if (exec.interactiveMode === "Always" && !tty) {
    throw failed(options, "it needs a terminal, and there is none");
  }
  const interactive = tty && exec.interactiveMode !== "Never";
  const { apiVersion } = exec;
  const known = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];
  if (!known.includes(apiVersion)) {
    throw failed(options, `it speaks "${apiVersion}", and only v1 and v1beta1 are known`);
  }
  const info = { apiVersion, kind: "ExecCredential", spec: { interactive, ...clusterInfo(options) } };
  const text = await run(options, JSON.stringify(info), interactive);
  return readCredential(text, apiVersion, (why) => failed({ exec, user }, why));
}

/** Reads what a plugin printed; never repeats it in an error, since it holds secrets. */
export function readCredential(text: string, apiVersion: string, fail: (why: string) => Error): Kept {
  const answer = parse(text);
  if (answer?.["kind"] !== "ExecCredential") throw fail("it printed something else than an ExecCredential");
  if (answer["apiVersion"] !== apiVersion) {
    throw fail(`it was asked for "${apiVersion}" and answered in another version`);
  }
  const status = (answer["status"] ?? {}) as Readonly<Record<string, unknown>>; // only read, field by field
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
  const credentials: Credentials = {
    ...(typeof token === "string" && token !== "" && { token }),
    ...(typeof cert === "string" && typeof key === "string" && { cert, key }),
  };
  if (Object.keys(credentials).length === 0)
    throw fail("it gave neither a token nor a certificate with its key");
  const end = typeof expirationTimestamp === "string" ? Date.parse(expirationTimestamp) : Number.NaN;
  return { credentials, expiresAt: Number.isNaN(end) ? Number.POSITIVE_INFINITY : end };
}

function clusterInfo({ exec, cluster, ca }: ExecCredentialOptions): Record<string, unknown> {
  if (!exec.provideClusterInfo) return {};
  const config = execExtension(cluster.extensions);
  return {
    cluster: {
      server: cluster.server,
      ...(cluster.tlsServerName !== undefined && { "tls-server-name": cluster.tlsServerName }),
      ...(cluster.insecure && { "insecure-skip-tls-verify": true }),
      ...(ca !== undefined && { "certificate-authority-data": Buffer.from(ca).toString("base64") }),
      ...(cluster.proxyUrl !== undefined && { "proxy-url": cluster.proxyUrl }),
      ...(config !== undefined && { config }),
    },
  };
}

/** The extension that kubeconfigs reserve for plugins. */
function execExtension(extensions: unknown): unknown {
  for (const entry of Array.isArray(extensions) ? extensions : []) {
    const { name, extension } = (entry ?? {}) as { name?: unknown; extension?: unknown }; // only read
    if (name === "client.authentication.k8s.io/exec") return extension;
  }
  return undefined;
}

function run(options: ExecCredentialOptions, info: string, interactive: boolean): Promise<string> {
  const { exec, env } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(exec.command, exec.args, {
      env: { ...env, ...exec.env, KUBERNETES_EXEC_INFO: info },
      stdio: [interactive ? "inherit" : "ignore", "pipe", "pipe"],
    });
    let out = "";
    let err = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      if (out.length < longestAnswerBytes) out += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      err = (err + text).slice(-2_000);
      // A plugin asks its person on standard error.
      if (interactive) process.stderr.write(text);
    });
    child.on("error", (cause: NodeJS.ErrnoException) => {
      const hint = exec.installHint === undefined ? "" : `; ${exec.installHint.trim()}`;
      reject(failed(options, `it cannot be run (${cause.code ?? cause.message})${hint}`, cause));
    });
    child.on("close", (code, killed) => {
      if (code === 0) return resolve(out);
      const last = err.trim().split("\n").at(-1) ?? "";
      reject(
        failed(options, `it ended with ${killed ?? `exit code ${code}`}${last === "" ? "" : `: ${last}`}`),
      );
    });
  });
}

function failed(options: { exec: ExecEntry; user: string }, why: string, cause?: unknown): AppError {
  const text = `the credential plugin "${options.exec.command}" of user "${options.user}" failed: ${why}`;
  return new AppError("KUBE_CREDENTIALS", text, { cause });
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>; // its fields are checked by the caller
  } catch {
    return undefined; // told as "something else"
  }
}

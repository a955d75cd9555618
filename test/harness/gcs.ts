import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import http, { createServer } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { findPart } from "./parts.ts";

/** An emulator of Google Cloud Storage, with a token server beside it. */
export interface GcsEmulator {
  readonly origin: string;
  readonly bucket: string;
  /** The key of a service account, whose tokens come from the server beside. */
  readonly credentials: string;
  readonly stop: () => Promise<void>;
}

/** Why no emulator can be had here; undefined when `startGcs` will give one. */
export function missingGcs(): string | undefined {
  const found = findPart("fake-gcs-server");
  return "missing" in found ? found.missing : undefined;
}

/** An emulator of our own on a free port, with one bucket. It checks neither tokens nor signatures. With a certificate it is Google's own host. */
export async function startGcs(tls?: { readonly cert: string; readonly key: string }): Promise<GcsEmulator> {
  const found = findPart("fake-gcs-server");
  if ("missing" in found) throw new Error(found.missing);
  const folder = await mkdtemp(join(tmpdir(), "gcs-"));
  await mkdir(join(folder, "backups"));
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const scheme = tls === undefined ? "http" : "https";
  const origin = `${scheme}://${host}`;
  const named = tls === undefined ? host : "storage.googleapis.com";
  const where = ["-scheme", scheme, "-host", "127.0.0.1", "-port", String(port), "-public-host", named];
  const secure = tls === undefined ? [] : ["-cert-location", tls.cert, "-private-key-location", tls.key];
  const external = ["-external-url", `${scheme}://${named}`];
  const args = ["-backend", "memory", ...where, ...secure, ...external, "-data", folder];
  const child = spawn(found.program, args, { stdio: "ignore" });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const tokens = await startTokens();
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
    await tokens.stop();
    await rm(folder, { recursive: true, force: true });
  };
  for (let left = 600; ; left -= 1) {
    if (child.exitCode !== null || left === 0) {
      await stop();
      throw new Error(`${found.program} did not start on ${origin}`);
    }
    const up = await isUp(origin);
    if (up)
      return { origin, bucket: "backups", credentials: serviceAccountKey(`${tokens.origin}/token`), stop };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function isUp(origin: string): Promise<boolean> {
  return new Promise((resolve) => {
    const { get } = origin.startsWith("https:") ? https : http;
    get(`${origin}/storage/v1/b/backups`, { rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    }).on("error", () => resolve(false));
  });
}

/** The JSON of a service account with a key of its own. */
export function serviceAccountKey(tokenUrl: string): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return JSON.stringify({
    type: "service_account",
    project_id: "a-project",
    private_key_id: "key-1",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    client_email: "backups@a-project.iam.gserviceaccount.com",
    client_id: "1",
    token_uri: tokenUrl,
  });
}

async function startTokens(): Promise<{ origin: string; stop: () => Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ access_token: "a-token", expires_in: 3600, token_type: "Bearer" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

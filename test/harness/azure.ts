import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { findPart, partFolder } from "./parts.ts";

/** An emulator of Azure's blobs. */
export interface AzureEmulator {
  /** The address of the account's blobs. */
  readonly endpoint: string;
  readonly account: string;
  readonly key: string;
  readonly container: string;
  readonly stop: () => Promise<void>;
}

/** Public, and the same in every Azurite. */
const account = "devstoreaccount1";
const key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
const container = "backups";

/** Why no emulator can be had here; undefined when `startAzure` will give one. */
export function missingAzure(): string | undefined {
  const found = findPart("azurite");
  return "missing" in found ? found.missing : undefined;
}

/** An emulator of our own on a free port, in memory, with one container; with a certificate it speaks HTTPS. */
export async function startAzure(tls?: {
  readonly cert: string;
  readonly key: string;
}): Promise<AzureEmulator> {
  const port = await freePort();
  const program = join(partFolder("azurite"), "node_modules/azurite/dist/src/blob/main.js");
  const flags = ["--inMemoryPersistence", "--skipApiVersionCheck", "--silent", "--disableTelemetry"];
  const secure = tls === undefined ? [] : ["--cert", tls.cert, "--key", tls.key];
  const args = [program, "--blobHost", "127.0.0.1", "--blobPort", String(port), ...flags, ...secure];
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  const endpoint = `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}/${account}`;
  const emulator = { endpoint, account, key, container, stop };
  for (let left = 600; ; left -= 1) {
    if (child.exitCode !== null || left === 0) {
      await stop();
      throw new Error(`azurite did not start on ${endpoint}`);
    }
    if (
      await makeContainer(emulator, container).then(
        () => true,
        () => false,
      )
    )
      return emulator;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Makes a container; what signs this is written here once more, so that the store does not vouch for itself. */
export async function makeContainer(
  { endpoint, key: secret }: Pick<AzureEmulator, "endpoint" | "key">,
  name: string,
): Promise<void> {
  const { request } = endpoint.startsWith("https:") ? https : http;
  const date = new Date().toUTCString();
  const version = "2021-12-02";
  const path = `/${account}/${name}`;
  const text = `PUT\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:${date}\nx-ms-version:${version}\n/${account}${path}\nrestype:container`;
  const mac = createHmac("sha256", Buffer.from(secret, "base64")).update(text).digest("base64");
  const headers = {
    "x-ms-date": date,
    "x-ms-version": version,
    authorization: `SharedKey ${account}:${mac}`,
    "content-length": "0",
  };
  const status = await new Promise<number>((resolve, reject) => {
    const sent = request(
      `${endpoint}/${name}?restype=container`,
      { method: "PUT", headers, rejectUnauthorized: false },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    sent.on("error", reject);
    sent.end();
  });
  if (status !== 201 && status !== 409) throw new Error(`the container was not made: HTTP ${status}`);
}

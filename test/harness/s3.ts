import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { findPart } from "./parts.ts";

/** A real S3 server to test against. */
export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  stop(): Promise<void>;
}

/** Why no S3 server can be had here; undefined when `startS3` will give one. */
export function missingS3(): string | undefined {
  if (process.env["S3_ENDPOINT"] !== undefined) return undefined;
  const found = findPart("versitygw", "HEADWAY_VERSITYGW");
  return "missing" in found ? `no S3 server: S3_ENDPOINT is not set and ${found.missing}` : undefined;
}

/** The server that the environment names, or one of our own on a free port over a temporary folder. */
export async function startS3(): Promise<S3Server> {
  const env = process.env;
  if (env["S3_ENDPOINT"] !== undefined) {
    return {
      endpoint: env["S3_ENDPOINT"],
      bucket: env["S3_BUCKET"] ?? "backups",
      region: env["AWS_REGION"] ?? "us-east-1",
      accessKeyId: env["AWS_ACCESS_KEY_ID"] ?? "",
      secretAccessKey: env["AWS_SECRET_ACCESS_KEY"] ?? "",
      stop: () => Promise.resolve(),
    };
  }
  const found = findPart("versitygw", "HEADWAY_VERSITYGW");
  if ("missing" in found) throw new Error(missingS3());
  return await startOwn(found.program);
}

/** A server of our own whose buckets can be locked: it keeps versions. Its bucket is not made yet. */
export async function startLockingS3(): Promise<S3Server> {
  const found = findPart("versitygw", "HEADWAY_VERSITYGW");
  if ("missing" in found) throw new Error(found.missing);
  return { ...(await startOwn(found.program, true)), bucket: "locked" };
}

/** Why `startLockingS3` cannot start one; undefined when it can. */
export function missingLockingS3(): string | undefined {
  const found = findPart("versitygw", "HEADWAY_VERSITYGW");
  return "missing" in found ? found.missing : undefined;
}

async function startOwn(program: string, keepsVersions = false): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), "s3-"));
  const [data, versions] = [join(folder, "data"), join(folder, "versions")];
  await mkdir(join(data, "backups"), { recursive: true });
  await mkdir(versions);
  const port = await freePort();
  const args = ["--access", "tester", "--secret", "tester-secret", "--region", "us-east-1"];
  const store = keepsVersions ? ["posix", "--versioning-dir", versions, data] : ["posix", data];
  const child = spawn(program, [...args, "--port", `127.0.0.1:${port}`, ...store], {
    stdio: "ignore",
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const endpoint = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  for (let left = 300; ; left -= 1) {
    if (child.exitCode !== null || left === 0) {
      await stop();
      throw new Error(`${program} did not start on ${endpoint}`);
    }
    if (
      await fetch(endpoint).then(
        () => true,
        () => false,
      )
    )
      break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    endpoint,
    bucket: "backups",
    region: "us-east-1",
    accessKeyId: "tester",
    secretAccessKey: "tester-secret",
    stop,
  };
}

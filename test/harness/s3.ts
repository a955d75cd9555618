import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { freePort } from "./free-port.ts";

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
  if (process.env["S3_ENDPOINT"] !== undefined || versitygw() !== undefined) return undefined;
  return "no S3 server: neither S3_ENDPOINT is set nor versitygw found (HEADWAY_VERSITYGW, PATH, ~/.cache/cluster/bin)";
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
  const program = versitygw();
  if (program === undefined) throw new Error(missingS3());
  return await startOwn(program);
}

async function startOwn(program: string): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), "s3-"));
  await mkdir(join(folder, "backups"));
  const port = await freePort();
  const args = ["--access", "tester", "--secret", "tester-secret", "--region", "us-east-1"];
  const child = spawn(program, [...args, "--port", `127.0.0.1:${port}`, "posix", folder], {
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

function versitygw(): string | undefined {
  const named = process.env["HEADWAY_VERSITYGW"];
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), join(homedir(), ".cache/cluster/bin")];
  const candidates = [
    ...(named === undefined ? [] : [named]),
    ...folders.map((dir) => join(dir, "versitygw")),
  ];
  return candidates.find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not here: the next place is tried
  }
}

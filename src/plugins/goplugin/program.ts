import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError, messageOf } from "../../errors.ts";
import type { Clock, Log } from "../../kube/index.ts";
import { within } from "../guard.ts";
import { LogTap } from "../log-tap.ts";
import { GrpcConnection } from "./grpc.ts";
import { readHandshake } from "./handshake.ts";
import { intOf, MessageWriter, readMessage } from "./protobuf.ts";

/** What running a plugin program needs. */
export interface ProgramOptions {
  readonly path: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly startMs: number;
}

/**
 * A shell runs the program and reads from us, which it never gets to the end of while we live: however we end, the pipe is
 * closed by the system, and the program goes with us. Programs of this kind do not look after that themselves.
 */
const keeper = `exec 3<&0
"$0" "$@" </dev/null 3<&- &
program=$!
{ read -r _ <&3; kill -9 $program; rm -rf "$PLUGIN_UNIX_SOCKET_DIR"; } >/dev/null 2>&1 &
reader=$!
exec 3<&-
wait $program
code=$?
kill $reader
exit $code`;

/** Of the first line no more is read than this. */
const handshakeBytes = 4096;
const shutdownMs = 2_000;

/** A plugin program that runs and answers. */
export class Program {
  readonly connection: GrpcConnection;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #folder: string;
  readonly #ended: Promise<void>;
  #isOver = false;

  /** Starts a program and waits until it serves. */
  static async start(options: ProgramOptions, signal: AbortSignal): Promise<Program> {
    const { path, log, clock, startMs } = options;
    const folder = await mkdtemp(join(tmpdir(), "headway-plugin-"));
    const child = spawn("/bin/sh", ["-c", keeper, path, "--log-level=info"], {
      env: programEnvironment(process.env, folder),
      stdio: "pipe",
    });
    child.stdin.on("error", () => undefined); // the shell has ended before us
    const tap = new LogTap({ plugin: path, log, clock });
    child.stderr.on("data", (chunk: Uint8Array) => tap.write(chunk));
    child.stderr.on("close", () => tap.end());
    const what = `starting plugin program "${path}"`;
    try {
      const line = await within({ clock, limitMs: startMs, what }, () => firstLine(child, path), signal);
      const program = new Program(child, new GrpcConnection(readHandshake(line, path)), folder);
      child.stdout.on("data", (chunk: Uint8Array) => tap.write(chunk));
      await within({ clock, limitMs: startMs, what }, (inner) => program.#check(path, inner), signal);
      return program;
    } catch (error) {
      child.stdin.destroy();
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  private constructor(child: ChildProcessWithoutNullStreams, connection: GrpcConnection, folder: string) {
    this.#child = child;
    this.connection = connection;
    this.#folder = folder;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = promise;
    const over = () => {
      this.#isOver = true;
      connection.close();
      resolve();
    };
    if (child.exitCode !== null || child.signalCode !== null) over();
    else child.once("exit", over);
  }

  get isOver(): boolean {
    return this.#isOver || this.connection.isClosed;
  }

  /** Asks it to end, and ends it. */
  async close(): Promise<void> {
    if (!this.#isOver) {
      const soon = AbortSignal.timeout(shutdownMs);
      if (this.connection.isClosed) this.#child.stdin.destroy();
      const asked = this.connection.unary("/plugin.GRPCController/Shutdown", new Uint8Array(), soon);
      // It may end before it has answered.
      await Promise.race([asked.catch(() => undefined), this.#ended]);
      const insist = setTimeout(() => this.#child.stdin.destroy(), shutdownMs);
      await this.#ended;
      clearTimeout(insist);
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #check(path: string, signal: AbortSignal): Promise<void> {
    const request = new MessageWriter().text(1, "plugin").done();
    try {
      const answer = await this.connection.unary("/grpc.health.v1.Health/Check", request, signal);
      if (intOf(readMessage(answer), 1) === 1n) return;
    } catch (error) {
      signal.throwIfAborted();
      const why = messageOf(error);
      throw new AppError("PLUGIN_PROTOCOL", `plugin program "${path}" does not speak gRPC: ${why}`, {
        cause: error,
      });
    }
    throw new AppError("PLUGIN_PROTOCOL", `plugin program "${path}" says that it does not serve`);
  }
}

/** Keys of the operator's own environment would silently win over the credential of a location, so programs do not get them. */
const withheld = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];

/** The environment of a program: the operator's, and what the handshake wants. */
export function programEnvironment(own: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(own).filter(([name]) => !withheld.includes(name))),
    VELERO_PLUGIN: "hello",
    PLUGIN_PROTOCOL_VERSIONS: "2",
    PLUGIN_MIN_PORT: "10000",
    PLUGIN_MAX_PORT: "25000",
    PLUGIN_UNIX_SOCKET_DIR: folder,
  };
}

function firstLine(child: ChildProcessWithoutNullStreams, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const refuse = (why: string) =>
      reject(
        new AppError(
          "PLUGIN_PROTOCOL",
          `plugin program "${path}" ${why}; it printed ${JSON.stringify(text.slice(0, 200))}`,
          {
            retry: false,
          },
        ),
      );
    const read = (chunk: Uint8Array) => {
      text += Buffer.from(chunk).toString("utf8");
      const at = text.indexOf("\n");
      if (at < 0 && text.length <= handshakeBytes) return;
      child.stdout.off("data", read);
      if (at < 0) refuse("does not begin with a handshake");
      else resolve(text.slice(0, at));
    };
    child.stdout.on("data", read);
    child.once("error", (error) => refuse(`cannot be started (${error.message})`));
    // After the last of its output, which may hold the line.
    child.once("close", (code, killer) =>
      refuse(`ended (${killer ?? `exit code ${code}`}) before it said where it listens`),
    );
  });
}

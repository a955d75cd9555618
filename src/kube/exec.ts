import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import { ApiError, readStatus, statusOf } from "./api-error.ts";
import { pathOf, type Resource, titleOf } from "./resource.ts";
import type { Transport } from "./transport.ts";

/** A command in a container. */
export interface ExecOptions {
  readonly namespace: string;
  readonly container?: string | undefined;
  readonly command: readonly string[];
  /** Ends the command's input when it is over; absent, the command has none. */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  /** Called with each piece; while a promise it returned is open, nothing more is read. */
  readonly onStdout?: (chunk: Buffer) => void | Promise<void>;
  readonly onStderr?: (chunk: Buffer) => void | Promise<void>;
}

/** How a command ended. */
export interface ExecResult {
  readonly exitCode: number;
}

const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const;
/** The first can end the command's input, the second cannot but is all that servers before 1.29 know. */
const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const pingMs = 20_000;

/**
 * Runs a command over a WebSocket. When the signal fires the line is cut; the command itself may go on, as with kubectl.
 * What the API server refuses is an ApiError; how the command ends is a result.
 */
export async function exec(
  transport: Transport,
  resource: Resource,
  name: string,
  options: ExecOptions,
  signal?: AbortSignal,
): Promise<ExecResult> {
  signal?.throwIfAborted();
  const target = { namespace: options.namespace, name, subresource: "exec" };
  const { server, headers, agent } = await transport.dial(signal);
  const url = new URL(server.replace(/^http/, "ws") + pathOf(resource, target));
  url.search = query(options).toString();
  // Loaded here: nothing else of the program needs it, and it costs 30 ms.
  const { WebSocket } = await import("ws");
  const socket = new WebSocket(url, protocols, {
    headers: headers as Record<string, string>, // ws hands arrays on to Node, which knows them
    agent,
    perMessageDeflate: false,
    handshakeTimeout: 60_000,
  });
  const session = new Session(socket, options, `run in ${titleOf(resource, target)}`);
  try {
    return await session.result(signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw transport.explain(error);
  } finally {
    socket.terminate();
  }
}

/** What the server says on the error channel at the end. */
export function readExit(text: string, attempt: string): ExecResult {
  const status = JSON.parse(text) as Record<string, unknown>; // the protocol's own contract
  if (status["status"] === "Success") return { exitCode: 0 };
  const body = statusOf(status, 500);
  const exit = body.causes?.find((cause) => cause.reason === "ExitCode")?.message;
  if (exit !== undefined && /^\d+$/.test(exit)) return { exitCode: Number(exit) };
  throw new ApiError(attempt, body);
}

class Session {
  readonly #socket: WebSocket;
  readonly #options: ExecOptions;
  readonly #attempt: string;
  readonly #end = Promise.withResolvers<ExecResult>();
  /** Pieces are handed on in order, one at a time. */
  #delivered: Promise<void> = Promise.resolve();
  #answered = true;

  constructor(socket: WebSocket, options: ExecOptions, attempt: string) {
    this.#socket = socket;
    this.#options = options;
    this.#attempt = attempt;
  }

  async result(signal: AbortSignal | undefined): Promise<ExecResult> {
    const stop = () => this.#end.reject(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    const pings = setInterval(() => this.#ping(), pingMs);
    this.#socket.on("open", () => void this.#feed().catch(this.#end.reject));
    this.#socket.on("pong", () => {
      this.#answered = true;
    });
    this.#socket.on("message", (data: Buffer) => this.#receive(data));
    this.#socket.on("unexpected-response", (_request, answer) => void this.#refused(answer));
    this.#socket.on("error", this.#end.reject);
    // A closing frame may overtake pieces that are still being handed on.
    this.#socket.on(
      "close",
      () => void this.#delivered.catch(() => undefined).then(() => this.#end.reject(lost())),
    );
    try {
      return await this.#end.promise;
    } finally {
      clearInterval(pings);
      signal?.removeEventListener("abort", stop);
    }
  }

  async #feed(): Promise<void> {
    const { stdin } = this.#options;
    if (!stdin) return;
    for await (const chunk of stdin) {
      if (this.#socket.readyState !== this.#socket.OPEN) return;
      await this.#send(Buffer.concat([Buffer.from([channel.stdin]), chunk]));
    }
    if (this.#socket.protocol === protocols[0]) await this.#send(Buffer.from([channel.close, channel.stdin]));
  }

  #send(frame: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.send(frame, (error) => (error ? reject(error) : resolve()));
    });
  }

  #receive(frame: Buffer): void {
    this.#answered = true;
    const body = frame.subarray(1);
    if (frame[0] === channel.error) {
      const text = body.toString();
      void this.#delivered
        .then(() => this.#end.resolve(readExit(text, this.#attempt)))
        .catch(this.#end.reject);
      return;
    }
    const { onStdout, onStderr } = this.#options;
    const deliver =
      frame[0] === channel.stdout ? onStdout : frame[0] === channel.stderr ? onStderr : undefined;
    if (!deliver || body.length === 0) return;
    this.#socket.pause();
    this.#delivered = this.#delivered.then(() => deliver(body)).then(() => this.#socket.resume());
    this.#delivered.catch(this.#end.reject);
  }

  async #refused(answer: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of answer.take(64)) chunks.push(chunk as Buffer); // no encoding was set
    } catch {
      // the status line alone says enough
    }
    const text = Buffer.concat(chunks).toString();
    this.#end.reject(new ApiError(this.#attempt, readStatus(answer.statusCode ?? 0, text)));
  }

  #ping(): void {
    if (this.#socket.readyState !== this.#socket.OPEN || this.#socket.isPaused) return;
    if (!this.#answered) return this.#end.reject(lost());
    this.#answered = false;
    this.#socket.ping();
  }
}

function query(options: ExecOptions): URLSearchParams {
  const parts = new URLSearchParams({ stdout: "true", stderr: "true" });
  if (options.stdin) parts.set("stdin", "true");
  if (options.container !== undefined) parts.set("container", options.container);
  for (const word of options.command) parts.append("command", word);
  return parts;
}

function lost(): Error {
  return Object.assign(new Error("the line broke before the command ended"), { code: "ECONNRESET" });
}

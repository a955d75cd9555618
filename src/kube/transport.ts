import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { AppError } from "../errors.ts";
import type { Access } from "./access.ts";
import { ApiError, isUnauthorized, readStatus } from "./api-error.ts";
import { type Backoff, backoffMs } from "./backoff.ts";
import { type Clock, sleep, systemClock } from "./clock.ts";
import type { Credentials } from "./credentials.ts";
import { Limiter } from "./limiter.ts";
import { mayRetry, type Repeat, retryAfterMs } from "./retry.ts";
import { isTrust, isUnsent, unreachable } from "./unreachable.ts";

/** One request to the API server. */
export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below the server's address. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly body?: string | Uint8Array;
  readonly contentType?: string;
  readonly accept?: string;
  /** What was attempted, for messages: `get pods "a/b"`. */
  readonly attempt: string;
  readonly repeat: Repeat;
}

/** How hard the transport tries, and how many requests it keeps in flight. */
export interface TransportOptions {
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Requests of one kind in flight at a time. */
  readonly limits?: { readonly read?: number; readonly write?: number };
  /** Tries beyond the first. */
  readonly retries?: number;
  readonly backoff?: Backoff;
  /** Longest silence of the server within one request. */
  readonly timeoutMs?: number;
  /** Longest wait for a connection, TLS included; as long as for an answer unless told otherwise. */
  readonly connectMs?: number;
  readonly userAgent?: string;
}

/** How long the server may be silent before its answer begins, and within it; 0 is for ever. */
interface Silence {
  readonly beginMs: number;
  readonly goOnMs: number;
}

const defaults = { read: 24, write: 32, retries: 5, timeoutMs: 60_000 };
const patience: Backoff = { firstMs: 200, maxMs: 5_000 };
/** A server may ask for a wait; beyond this its caller should know instead. */
const longestWaitMs = 60_000;

/** Sends requests over kept connections, retries what may be repeated, turns refusals into ApiError. */
export class Transport {
  readonly #access: Access;
  readonly #clock: Clock;
  readonly #options: TransportOptions;
  readonly #read: Limiter;
  readonly #write: Limiter;
  #agent: { readonly agent: http.Agent; readonly cert: string | undefined } | undefined;

  constructor(access: Access, options: TransportOptions = {}) {
    this.#access = access;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#read = new Limiter(options.limits?.read ?? defaults.read);
    this.#write = new Limiter(options.limits?.write ?? defaults.write);
  }

  /** The whole answer, read by `parse`; retried as a whole, also when it broke off half way. */
  async read<T>(request: Request, parse: (body: Buffer) => T, signal?: AbortSignal): Promise<T> {
    const limiter = request.method === "GET" ? this.#read : this.#write;
    return this.#retrying(request, signal, async () => {
      const leave = await limiter.enter(signal);
      try {
        const answer = await this.#send(
          request,
          { beginMs: this.#timeoutMs, goOnMs: this.#timeoutMs },
          signal,
        );
        return parseWhole(await readAll(answer), parse);
      } finally {
        leave();
      }
    });
  }

  /** The whole answer as JSON; the API server is on our side of the edge of trust. */
  json<T>(request: Request, signal?: AbortSignal): Promise<T> {
    return this.read(request, (body) => JSON.parse(body.toString()) as T, signal);
  }

  /** An answer that goes on, with any silence; retried only until it begins. No limit but the caller's own counts these. */
  async stream(
    request: Request,
    signal: AbortSignal,
    beginMs = this.#timeoutMs,
  ): Promise<http.IncomingMessage> {
    return this.#retrying(request, signal, () => this.#send(request, { beginMs, goOnMs: 0 }, signal));
  }

  /**
   * Address, headers and TLS for a connection that leaves HTTP, such as a WebSocket. It is always a new one: a kept connection may be
   * dead (a server closes it after a refused upgrade), and what runs over such a line is not to be repeated.
   */
  async dial(signal?: AbortSignal): Promise<{
    readonly server: string;
    readonly headers: Record<string, string | readonly string[]>;
    readonly agent: http.Agent;
  }> {
    const credentials = await this.#access.credentials.get(signal);
    return {
      server: this.#access.server,
      headers: { ...this.#access.impersonate, ...authorization(credentials), "User-Agent": this.#userAgent },
      agent: makeAgent(this.#access, credentials, false),
    };
  }

  /** Turns what a connection threw into what a person can act on. */
  explain(error: unknown): unknown {
    return error instanceof ApiError || !isNetwork(error) ? error : unreachable(this.#access, error);
  }

  /** Closes every connection. */
  close(): void {
    this.#agent?.agent.destroy();
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? defaults.timeoutMs;
  }

  get #userAgent(): string {
    return this.#options.userAgent ?? "headway";
  }

  async #retrying<T>(request: Request, signal: AbortSignal | undefined, once: () => Promise<T>): Promise<T> {
    const retries = this.#options.retries ?? defaults.retries;
    let renewed = false;
    for (let attempt = 0; ; attempt += 1) {
      signal?.throwIfAborted();
      try {
        return await once();
      } catch (error) {
        signal?.throwIfAborted();
        if (isUnauthorized(error) && !renewed && this.#access.credentials.refused()) {
          renewed = true;
          continue;
        }
        const wait = this.#wait(error, request.repeat, attempt);
        if (attempt >= retries || wait === undefined) throw this.explain(error);
        await sleep(this.#clock, wait, signal);
      }
    }
  }

  /** How long to wait before the next try; undefined when there must be none. */
  #wait(error: unknown, repeat: Repeat, attempt: number): number | undefined {
    if (!(error instanceof ApiError) && (!isNetwork(error) || isTrust(error))) return undefined;
    if (!mayRetry({ error, unsent: isUnsent(error) }, repeat)) return undefined;
    const random = (this.#options.random ?? Math.random)();
    const own = backoffMs(this.#options.backoff ?? patience, attempt, random);
    const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    // Everybody was told the same second: spread out after it, never before.
    return asked > longestWaitMs ? undefined : asked + (asked > 0 ? own / 4 : own);
  }

  async #send(
    request: Request,
    silence: Silence,
    signal: AbortSignal | undefined,
  ): Promise<http.IncomingMessage> {
    const credentials = await this.#access.credentials.get(signal);
    const answer = await this.#open(request, credentials, silence, signal);
    const status = answer.statusCode ?? 0;
    if (status >= 200 && status < 300) return answer;
    const body = await readAll(answer, 1 << 20);
    throw new ApiError(
      request.attempt,
      readStatus(status, body.toString()),
      retryAfterMs(answer.headers["retry-after"], this.#clock.now()),
    );
  }

  #open(
    request: Request,
    credentials: Credentials,
    { beginMs, goOnMs }: Silence,
    signal: AbortSignal | undefined,
  ): Promise<http.IncomingMessage> {
    const url = new URL(this.#access.server + request.path + queryOf(request.query));
    const options: https.RequestOptions = {
      method: request.method,
      agent: this.#agentFor(credentials),
      headers: {
        Accept: request.accept ?? "application/json",
        "User-Agent": this.#userAgent,
        ...(request.body !== undefined && {
          "Content-Type": request.contentType ?? "application/json",
          "Content-Length": Buffer.byteLength(request.body),
        }),
        ...this.#access.impersonate,
        ...authorization(credentials),
      },
      ...(signal && { signal }),
    };
    return new Promise((resolve, reject) => {
      const outgoing = url.protocol === "http:" ? http.request(url, options) : https.request(url, options);
      outgoing.setTimeout(beginMs);
      outgoing.once("socket", (socket) => this.#limitConnecting(outgoing, socket, url.protocol));
      outgoing.on("timeout", () => outgoing.destroy(timeout()));
      outgoing.once("response", (answer) => {
        outgoing.setTimeout(goOnMs);
        resolve(answer);
      });
      outgoing.on("error", reject); // stays: a late error on a settled request must not end the process
      outgoing.end(request.body);
    });
  }

  #limitConnecting(outgoing: http.ClientRequest, socket: Socket, protocol: string): void {
    const { connectMs } = this.#options;
    if (connectMs === undefined || !socket.connecting) return;
    const cancel = this.#clock.after(connectMs, () => outgoing.destroy(timeout()));
    socket.once(protocol === "http:" ? "connect" : "secureConnect", cancel);
    outgoing.once("close", cancel);
  }

  #agentFor(credentials: Credentials): http.Agent {
    if (this.#agent && this.#agent.cert === credentials.cert) return this.#agent.agent;
    this.#agent?.agent.destroy();
    const agent = makeAgent(this.#access, credentials);
    this.#agent = { agent, cert: credentials.cert };
    return agent;
  }
}

function makeAgent(access: Access, credentials: Credentials, keepAlive = true): http.Agent {
  const { proxyUrl } = access;
  const kept = {
    keepAlive,
    keepAliveMsecs: 15_000,
    maxFreeSockets: 32,
    scheduling: "lifo" as const,
    // Idle connections go before a server or a balancer on the way drops them: a create must not meet a dead one.
    timeout: 45_000,
    // Node's own proxy support; which servers go through one was decided before.
    ...(proxyUrl !== undefined && { proxyEnv: { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl } }),
  };
  if (access.server.startsWith("http:")) return new http.Agent(kept);
  return new https.Agent({
    ...kept,
    rejectUnauthorized: !access.insecure,
    ...(access.ca !== undefined && { ca: access.ca }),
    ...(credentials.cert !== undefined && { cert: credentials.cert }),
    ...(credentials.key !== undefined && { key: credentials.key }),
    ...(access.tlsServerName !== undefined && { servername: access.tlsServerName }),
  });
}

function authorization({ token, username, password }: Credentials): Record<string, string> {
  if (token !== undefined) return { Authorization: `Bearer ${token}` };
  if (username === undefined) return {};
  return { Authorization: `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}` };
}

function queryOf(query: Request["query"]): string {
  const parts = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) parts.append(key, String(one));
  }
  const text = parts.toString();
  return text === "" ? "" : `?${text}`;
}

/** Collects a body; beyond the limit the rest is dropped, which only refusals ask for. */
function readAll(answer: http.IncomingMessage, limitBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    answer.on("data", (chunk: Buffer) => {
      if (size < limitBytes) chunks.push(chunk);
      size += chunk.length;
    });
    answer.once("end", () => resolve(Buffer.concat(chunks)));
    answer.once("error", reject);
    answer.once("close", () => {
      if (!answer.complete) reject(reset()); // every answer closes; an error is dear to make
    });
  });
}

/** A cut answer can end cleanly: then only its syntax tells. */
function parseWhole<T>(body: Buffer, parse: (body: Buffer) => T): T {
  try {
    return parse(body);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw Object.assign(new Error(`the answer is cut or no JSON: ${cause.message}`, { cause }), {
      code: "ERR_CUT_ANSWER",
    });
  }
}

function timeout(): Error {
  return Object.assign(new Error("there was no answer in time"), { code: "ETIMEDOUT" });
}

function reset(): Error {
  return Object.assign(new Error("the answer broke off"), { code: "ECONNRESET" });
}

function isNetwork(error: unknown): boolean {
  return error instanceof Error && !(error instanceof AppError) && "code" in error;
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { isMap, type JsonMap } from "../object.ts";
import { ApiError, badRequest } from "../status.ts";
import type { Accepted } from "./accept.ts";

/** One request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly accepted: Accepted;
  /** Who asks, as the token says. */
  readonly user: string;
  /** Who another token belongs to. */
  authenticate(token: string): string | undefined;
  /** Ends with the connection or the server. */
  readonly signal: AbortSignal;
}

/** The largest body that is read; etcd's limit, more or less. */
const bodyLimitBytes = 3 * 1024 * 1024;

/** Sends a JSON value, or text that is JSON already. */
export async function send(x: Exchange, code: number, body: unknown): Promise<void> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  if (x.accepted.media === "yaml") {
    const { stringify } = await import("yaml");
    return reply(x, code, stringify(JSON.parse(text), { aliasDuplicateObjects: false }), "application/yaml");
  }
  reply(x, code, `${text}\n`, "application/json");
}

function reply(x: Exchange, code: number, text: string, type: string): void {
  x.response.writeHead(code, {
    "content-type": type,
    "cache-control": "no-cache, private",
    "content-length": Buffer.byteLength(text),
  });
  x.response.end(text);
}

/** Tells the client something without refusing. */
export function warn(x: Exchange, text: string): void {
  x.response.appendHeader("warning", `299 - "${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`);
}

/** Reads the body whole, up to the limit. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  return (await bytesOf(request)).toString("utf8");
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimitBytes) {
      throw new ApiError(
        413,
        "RequestEntityTooLarge",
        `Request entity too large: limit is ${bodyLimitBytes}`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The body as a JSON object; YAML is read as well when the content type says so. */
export async function objectBody(x: Exchange, kind: string, struct = kind): Promise<JsonMap> {
  if (contentType(x) === "application/vnd.kubernetes.protobuf") {
    const { decodeProtobuf } = await import("../protobuf.ts");
    return decodeProtobuf(await bytesOf(x.request), struct);
  }
  const text = await bodyOf(x.request);
  const value = await parseBody(text, contentType(x), kind);
  if (!isMap(value)) throw unreadable(kind, "json parse error: json: cannot unmarshal into Go value", text);
  return value;
}

/** The media type of the body. */
export function contentType(x: Exchange): string {
  return (x.request.headers["content-type"] ?? "application/json").split(";")[0]?.trim() ?? "";
}

async function parseBody(text: string, type: string, kind: string): Promise<unknown> {
  if (type === "application/yaml") {
    const { parse } = await import("yaml");
    return parse(text);
  }
  if (type !== "application/json") throw unsupportedMedia(type);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(kind, `json parse error: ${parseWords(error, text)}`, text);
  }
}

/** Why a text is not JSON; a text that just ends is named as Go names it. */
export function parseWords(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const at = Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
  return at >= text.trimEnd().length ? "unexpected end of JSON input" : message;
}

function unreadable(kind: string, why: string, text: string): ApiError {
  const must = `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; ${why}`;
  return badRequest(`${must} (${text.slice(0, 80)})`);
}

/** 415: a body we do not read. */
export function unsupportedMedia(_type: string): ApiError {
  return new ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
}

/** A query parameter as a whole number; a 400 when it is something else. */
export function wholeNumber(x: Exchange, name: string): number | undefined {
  const text = x.url.searchParams.get(name);
  if (text === null || text === "") return undefined;
  if (!/^-?\d+$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

/** A query parameter that is a switch. */
export function isOn(x: Exchange, name: string): boolean {
  const text = x.url.searchParams.get(name);
  return text !== null && text !== "false" && text !== "0";
}

/** Whether the write is only to be tried. */
export function isDryRun(x: Exchange): boolean {
  const values = x.url.searchParams.getAll("dryRun").filter((value) => value !== "");
  const odd = values.find((value) => value !== "All");
  if (odd !== undefined) {
    throw badRequest(
      `invalid dryRun: dryRun: Unsupported value: ${JSON.stringify(odd)}: supported values: "All"`,
    );
  }
  return values.length > 0;
}

import type { KubeObject } from "../api/index.ts";
import { messageOf } from "../errors.ts";
import { builtIn, type Client, isNotFound, Mask } from "../kube/index.ts";
import type { SecretKey, Sink } from "./config.ts";
import { forms } from "./forms/registry.ts";
import { post } from "./post.ts";
import { Refused } from "./refused.ts";
import { type Answer, maskedOperation, type OpenSink, type Telling } from "./telling.ts";

/** What a delivery needs of the cluster. */
export interface DeliverOptions {
  readonly client: Pick<Client, "get">;
  /** Where the Secrets are. */
  readonly namespace: string;
}

/**
 * Tells a receiver, with its secrets read anew: what a person changes counts at once, and nothing of it stays here. None of their values
 * is in what is sent, beyond the place where the configuration wants it, nor in an error.
 */
export async function deliver(
  { client, namespace }: DeliverOptions,
  sink: Sink,
  telling: Telling,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const mask = new Mask();
  const read = (from: SecretKey) => secretValue(client, namespace, from, mask, signal);
  try {
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(sink.headers))
      headers[name] = typeof value === "string" ? value : `${value.prefix}${await read(value)}`;
    const url = typeof sink.url === "string" ? sink.url : await read(sink.url);
    if (!/^https?:\/\//.test(url))
      throw new Refused("the Secret holds no address of http or https", { retry: false });
    const ca = sink.ca && (await read(sink.ca));
    const { name, type, mode, channel, everyMs } = sink;
    const open: OpenSink = { name, type, mode, channel, everyMs, url, headers };
    const operation = maskedOperation(telling.operation, (text) => mask.text(text));
    const out = forms[type].compose({ ...telling, operation }, open);
    return out && (await post(out, ca, signal));
  } catch (error) {
    signal.throwIfAborted();
    throw mask.error(error);
  }
}

async function secretValue(
  client: Pick<Client, "get">,
  namespace: string,
  { name, key }: SecretKey,
  mask: Mask,
  signal: AbortSignal,
): Promise<string> {
  type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> };
  let secret: Secret;
  try {
    secret = await client.get<Secret>(builtIn.secrets, name, { namespace }, signal);
  } catch (error) {
    // A Secret may come later, and a right too: the receiver is asked again.
    const why = isNotFound(error) ? "is not there" : `cannot be read: ${messageOf(error)}`;
    throw new Refused(`the Secret "${name}" ${why}`, { retry: true });
  }
  mask.learnSecret(secret);
  const value = secret.data?.[key];
  if (value === undefined) throw new Refused(`the Secret "${name}" has no key "${key}"`, { retry: true });
  const text = Buffer.from(value, "base64").toString();
  // A line break at the end is nearly always an editor's, and no header or address may hold one.
  return text.startsWith("-----BEGIN") ? text : text.trim();
}

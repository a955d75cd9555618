import { isRecord } from "../../api/index.ts";
import { isTerminal, shownState, titleOf } from "../../progress/index.ts";
import { Refused } from "../refused.ts";
import { barOf, type Form, sentenceOf, type Telling } from "../telling.ts";
import type { Told } from "../told.ts";

const signs: Readonly<Record<string, string>> = {
  pending: ":hourglass_flowing_sand:",
  running: ":arrow_forward:",
  stalled: ":warning:",
  completed: ":white_check_mark:",
  skipped: ":white_check_mark:",
  "partially-failed": ":large_orange_circle:",
  failed: ":x:",
  canceled: ":black_square_for_stop:",
};

/**
 * With a token there is one message for each operation, edited as it goes on (chat.postMessage, chat.update). An incoming webhook
 * cannot edit: it gets a message for each event.
 */
export const slack: Form = {
  compose(telling, { url, headers, channel }) {
    const sent = { ...headers, "content-type": "application/json; charset=utf-8" };
    if (channel === undefined)
      return { url, headers: sent, body: JSON.stringify({ text: eventText(telling) }) };
    const { message } = telling.told;
    const base = url.replace(/\/+$/, "");
    if (telling.event === "test" || !message) {
      const text = telling.event === "test" ? eventText(telling) : barText(telling);
      return { url: `${base}/chat.postMessage`, headers: sent, body: JSON.stringify({ channel, text }) };
    }
    return {
      url: `${base}/chat.update`,
      headers: sent,
      body: JSON.stringify({ channel: message.channel, ts: message.ts, text: barText(telling) }),
    };
  },

  accept({ body }, { told, event }): Partial<Told> {
    const found = parsed(body);
    if (!found) return {}; // an incoming webhook answers `ok`
    if (found["ok"] === true) {
      const { channel, ts } = found;
      if (event === "test" || typeof ts !== "string" || typeof channel !== "string") return {};
      return { message: { channel, ts } };
    }
    const why = typeof found["error"] === "string" ? found["error"] : "no reason given";
    // Somebody deleted the message: the next try writes another one.
    if (told.message && /^(message_not_found|cant_update_message|edit_window_closed)$/.test(why))
      throw new Refused(`Slack says "${why}"`, { retry: true, isLost: true });
    const passing = /^(ratelimited|internal_error|fatal_error|service_unavailable|request_timeout)$/.test(
      why,
    );
    throw new Refused(`Slack says "${why}"`, { retry: passing });
  },

  shows: (telling) => (telling.told.message ? barText(telling) : undefined),
};

/** The message that is edited: what it is, and how far. */
function barText({ event, operation, cluster, atMs, told }: Telling): string {
  const sign = signs[shownState(operation)] ?? "";
  const late = (told.late || event === "late") && !isTerminal(operation.state) ? " (late)" : "";
  const where = cluster === undefined ? "" : ` on ${escaped(cluster)}`;
  return `${sign} *${escaped(titleOf(operation))}*${where}${late}\n${escaped(barOf(operation, atMs))}`;
}

function eventText(telling: Telling): string {
  const sign = telling.event === "test" ? ":wave:" : (signs[shownState(telling.operation)] ?? "");
  const where = telling.cluster === undefined ? "" : ` (${escaped(telling.cluster)})`;
  return `${sign} ${escaped(sentenceOf(telling))}${where}`;
}

/** Slack's three characters; without them nobody's backup can call `<!channel>`. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function parsed(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const found: unknown = JSON.parse(body);
    return isRecord(found) ? found : undefined;
  } catch {
    return undefined; // plain words
  }
}

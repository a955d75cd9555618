import { isRecord } from "../../api/index.ts";

/** How it goes with one receiver, as the operator wrote it. */
export interface Health {
  readonly sent: number;
  readonly dropped: number;
  readonly sentAt?: number;
  readonly error?: string;
}

/** How one receiver took a test; the name is empty for a fault of the configuration. */
export interface Result {
  readonly sink: string;
  readonly error?: string;
}

/** Reads the answer to a test. */
export function readTest(
  text: string | undefined,
): { readonly id: string; readonly results: readonly Result[] } | undefined {
  const found = parsed(text);
  const { id, results } = found;
  if (typeof id !== "string" || !Array.isArray(results)) return undefined;
  return {
    id,
    results: results.filter(isRecord).map(({ sink, error }) => ({
      sink: typeof sink === "string" ? sink : "",
      ...(typeof error === "string" && { error }),
    })),
  };
}

/** Reads how it goes; what nobody wrote is nothing. */
export function readStatus(text: string | undefined): {
  readonly faults: readonly string[];
  readonly sinks: Readonly<Record<string, Health>>;
} {
  const { faults, sinks } = parsed(text);
  const each = Object.entries(isRecord(sinks) ? sinks : {}).map(
    ([name, one]) => [name, healthOf(one)] as const,
  );
  return {
    faults: Array.isArray(faults) ? faults.filter((one) => typeof one === "string") : [],
    sinks: Object.fromEntries(each),
  };
}

function healthOf(value: unknown): Health {
  const { sent, dropped, sentAt, error } = isRecord(value) ? value : {};
  return {
    sent: typeof sent === "number" ? sent : 0,
    dropped: typeof dropped === "number" ? dropped : 0,
    ...(typeof sentAt === "number" && Number.isFinite(sentAt) && { sentAt }),
    ...(typeof error === "string" && { error }),
  };
}

function parsed(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const found: unknown = JSON.parse(text ?? "{}");
    return isRecord(found) ? found : {};
  } catch {
    return {}; // somebody wrote something else there: the operator writes it anew
  }
}

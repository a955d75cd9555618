/** A moment as the cluster stores it: RFC 3339 in UTC with whole seconds, cut off and never rounded up. */
export function formatTime(epochMs: number): string {
  return new Date(Math.floor(epochMs / 1000) * 1000).toISOString().replace(".000Z", "Z");
}

/** Epoch ms of a stored moment; undefined when it is absent, null or no moment. */
export function parseTimeMs(text: string | null | undefined): number | undefined {
  // Date.parse also takes "2026" and "1 May": only a full date with time and zone is a moment.
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text ?? "")) return undefined;
  const at = Date.parse(text ?? "");
  return Number.isNaN(at) ? undefined : at;
}

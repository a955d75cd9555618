/** Up to so many copies in the cluster are told this often; a byte is then on page and terminal within a second. */
const few = 20;
const freshMs = 500;
/** From so many on they are told as often as upstream's agents do. */
const many = 200;
const upstreamMs = 10_000;

/**
 * How often the numbers of one copy are written, given how many run in the whole cluster: all agents together stay below some
 * forty writes a second. Every agent watches all copies, so all of them share the budget without a word between them.
 */
export function copyIntervalMs(copies: number): number {
  const share = Math.min(1, Math.max(0, (copies - few) / (many - few)));
  return freshMs + share * (upstreamMs - freshMs);
}

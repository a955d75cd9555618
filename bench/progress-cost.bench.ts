// Budget: 50 µs for a sample of one operation with history (fold, estimate, stall), 16 kB for a history and for a memory.
import { type History, learn, type Observation, type Tracked, track } from "../src/progress/index.ts";

const budgetMicros = 50;
const budgetBytes = 16 * 1024;
const total = 3_600_000_000_000;

function observation(second: number, history: History | undefined): Observation {
  const ragged = 1e9 * (second + Math.sin(second / 7) + 0.3 * Math.sin(second * 3));
  return {
    id: "volume",
    ref: {
      apiVersion: "velero.io/v1",
      kind: "PodVolumeBackup",
      namespace: "velero",
      name: "nightly-xyz",
      uid: "1",
    },
    kind: "volume",
    title: "data of pod db-0",
    state: second >= 3600 ? "completed" : "running",
    progress: { unit: "bytes", done: Math.max(0, Math.round(ragged)), total },
    signals: { heartbeatAt: second * 1000 },
    ...(history && { history }),
  };
}

/** An hour with a sample each second; the mean cost of one in µs. */
function hour(history: History | undefined): { readonly micros: number; readonly tracked: Tracked } {
  const seen = Array.from({ length: 3601 }, (_, second) => observation(second, history));
  const before = process.cpuUsage();
  let tracked: Tracked | undefined;
  seen.forEach((each, second) => {
    tracked = track(tracked, each, second * 1000);
  });
  // Processor time, so that a busy machine does not change the figure; garbage collection is in it.
  const { user, system } = process.cpuUsage(before);
  const micros = (user + system) / seen.length;
  if (!tracked) throw new Error("nothing was tracked");
  return { micros, tracked };
}

let history: History | undefined;
let memoryBytes = 0;
for (let run = 0; run < 8; run++) {
  const { tracked } = hour(history);
  memoryBytes = Math.max(memoryBytes, JSON.stringify(tracked.memory).length);
  history = learn(history, tracked);
}
const costs = Array.from({ length: 5 }, () => hour(history).micros).toSorted((a, b) => a - b);
const median = costs[2] ?? Number.NaN;
const historyBytes = JSON.stringify(history).length;
console.log(
  `per sample ${median.toFixed(1)} µs (median of 5 hours of 3,601 samples; budget ${budgetMicros})`,
);
console.log(
  `history of 8 runs ${historyBytes} B, memory of one operation ${memoryBytes} B (budget ${budgetBytes} each)`,
);
if (!(median <= budgetMicros && historyBytes <= budgetBytes && memoryBytes <= budgetBytes))
  process.exitCode = 1;

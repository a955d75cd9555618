// Tries the known classes of attack against a running operator, agent and server on a real cluster, and says what held:
// `KUBECONFIG=… npm run attack -- [--host-pods DIR] [--image IMAGE] [--only WORD]`. Exits with 1 when anything is broken.
import { parseArgs } from "node:util";
import { type Attack, Broken, summaryLine, type Verdict, verdictLine } from "./attack.ts";
import { moverAttacks } from "./movers.ts";
import { placeAttacks } from "./places.ts";
import { requestAttacks } from "./requests.ts";
import { rightAttacks } from "./rights.ts";
import { secretAttacks } from "./secrets.ts";
import { Stage } from "./stage.ts";
import { storedAttacks } from "./stored.ts";
import { timeAttacks } from "./times.ts";
import { wireAttacks } from "./wires.ts";

const { values } = parseArgs({
  options: {
    kubeconfig: { type: "string", default: process.env["KUBECONFIG"] ?? "" },
    "host-pods": { type: "string", default: process.env["HEADWAY_HOST_PODS"] ?? "/var/lib/kubelet/pods" },
    image: { type: "string", default: process.env["HEADWAY_TEST_IMAGE"] ?? "docker.io/local/tools:1" },
    only: { type: "string", default: "" },
    json: { type: "boolean", default: false },
  },
});
if (values.kubeconfig === "") throw new Error("KUBECONFIG or --kubeconfig must name a cluster");

const all: readonly Attack[] = [
  // First: afterwards there are copies of the victim's volume that somebody asked for.
  ...moverAttacks,
  ...secretAttacks,
  ...storedAttacks,
  ...wireAttacks,
  ...requestAttacks,
  ...rightAttacks,
  ...placeAttacks,
  ...timeAttacks,
];
const chosen = all.filter(({ kind, tried }) => `${kind}: ${tried}`.includes(values.only));
const verdicts: Verdict[] = [];
const stage = await Stage.open({
  kubeconfig: values.kubeconfig,
  hostPods: values["host-pods"],
  image: values.image,
});
let isStopped = false;
process.once("SIGINT", () => (isStopped = true)); // what was made is taken away all the same
try {
  for (const attack of chosen) {
    if (isStopped) break;
    const verdict = await judge(attack);
    verdicts.push(verdict);
    console.log(values.json ? JSON.stringify(verdict) : verdictLine(verdict));
  }
} finally {
  await stage.close();
}
console.log(summaryLine(verdicts));
if (verdicts.length === 0 || verdicts.some(({ word }) => word === "BROKEN")) process.exitCode = 1;

async function judge(attack: Attack): Promise<Verdict> {
  const { kind, tried, impossible, limitMs = 240_000 } = attack;
  if (impossible !== undefined) return { kind, tried, seen: impossible, word: "NOT TRIED" };
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Broken(`not over after ${limitMs / 1000} s`)), limitMs);
  try {
    const seen = await Promise.race([attack.run(stage), late.promise]);
    const fault = await stage.faults();
    return fault === undefined
      ? { kind, tried, seen, word: "HELD" }
      : { kind, tried, seen: fault, word: "BROKEN" };
  } catch (error) {
    // What could not be judged has not held.
    const seen = error instanceof Broken ? error.message : `it could not be judged: ${String(error)}`;
    const fault = await stage.faults();
    return { kind, tried, seen: [fault, seen].filter(Boolean).join("; "), word: "BROKEN" };
  } finally {
    clearTimeout(timer);
  }
}

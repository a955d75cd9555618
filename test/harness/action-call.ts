import { Args, type Json } from "../../src/engines/actionset/args.ts";
import type { Call } from "../../src/engines/actionset/functions/call.ts";
import { templateData } from "../../src/engines/actionset/params.ts";
import { PhaseProgress } from "../../src/engines/actionset/phase-progress.ts";
import { PodWatch } from "../../src/engines/actionset/pod/pod-watch.ts";
import type { Output } from "../../src/engines/actionset/status.ts";
import { type Client, Mask, systemClock } from "../../src/kube/index.ts";

/** What a test says about a call; the rest is plain. */
export interface CallParts {
  readonly client?: object;
  readonly params?: Partial<Call["params"]>;
  readonly before?: Call["before"];
  readonly options?: Partial<Call["deps"]["options"]>;
  readonly signal?: AbortSignal;
}

/** A call of a function with a client that knows only what the test gives it. */
export function fakeCall(func: string, args: Json, parts: CallParts = {}) {
  const kept: Output[] = [];
  const client = (parts.client ?? {}) as unknown as Client; // what is missing is a bug of the test, and throws
  const progress = new PhaseProgress(() => undefined);
  const params: Call["params"] = {
    object: {},
    artifactsIn: {},
    configMaps: {},
    secrets: {},
    time: "2026-11-15T10:00:00Z",
    options: {},
    podOverride: {},
    podLabels: {},
    podAnnotations: {},
    phases: {},
    ...parts.params,
  };
  // Every wait is over at once: what a test waits for, its client tells.
  const clock = {
    ...systemClock,
    after: (ms: number, call: () => void) => systemClock.after(Math.min(ms, 5), call),
  };
  const call: Call = {
    func,
    args: new Args(func, args),
    params,
    data: templateData(params),
    identity: { namespace: "kanister", name: "set", uid: "u", action: 0, phase: 0 },
    setLabels: {},
    progress,
    startedAt: clock.now(),
    before: parts.before,
    keep: async (output) => void kept.push(output),
    mask: new Mask(),
    deps: {
      client,
      clock,
      namespace: "kanister",
      pods: new PodWatch(client, "kanister", () => undefined),
      options: {
        toolsImage: "tools",
        podReadyMs: 50,
        podDefaults: { secure: false, imagePullPolicy: "IfNotPresent" },
        ...parts.options,
      },
    },
    signal: parts.signal ?? new AbortController().signal,
  };
  return { call, kept, progress };
}

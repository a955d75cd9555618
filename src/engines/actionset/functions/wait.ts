import { Renderer, TemplateError } from "../../../../packages/template/index.ts";
import { nodeCrypto } from "../../../../packages/template/on-node.ts";
import type { KubeObject } from "../../../api/index.ts";
import { AppError } from "../../../errors.ts";
import { badArgument, isRecord, type Json, recordOf } from "../args.ts";
import { withInt64 } from "../params.ts";
import { pause } from "../pod/job.ts";
import { renderDeep } from "../render.ts";
import { resourceOfReference } from "../resolve.ts";
import type { Reference } from "../status.ts";
import type { Call, Func } from "./call.ts";
import { fillPaths, isPathError } from "./json-path.ts";

/** Conditions of Wait see no data and may use sprig; those of WaitV2 see the object and may not. */
const withSprig = new Renderer({ name: "condition", missingKey: "zero", ports: { crypto: nodeCrypto } });
const bare = new Renderer({ name: "condition", sprig: false });

interface Condition {
  readonly condition: string;
  readonly reference: Reference;
}

/** Wait: until conditions with JSONPath fragments hold. */
export const wait: Func = (call) =>
  until(call, (condition, object) => withSprig.render(fillPaths(condition, object), undefined));

/** WaitV2: until templates over the objects print true. */
export const waitV2: Func = (call) =>
  until(call, (condition, object) => bare.render(condition, withInt64(object)));

async function until(call: Call, evaluate: (condition: string, object: Json) => string): Promise<Json> {
  const { args, deps, progress, startedAt } = call;
  const limitMs = args.durationMs("timeout");
  const conditions = recordOf(renderless(call));
  const anyOf = read(call, conditions["anyOf"]);
  const allOf = read(call, conditions["allOf"]);
  if (anyOf.length + allOf.length === 0) throw badArgument("there is no condition to wait for");
  progress.update({ step: "waiting" });
  for (let ms = 100; ; ms = Math.min(10_000, ms * 2)) {
    const any = await Promise.all(anyOf.map((one) => holds(call, one, evaluate)));
    if (any.some(({ met }) => met)) return {};
    const all = await Promise.all(allOf.map((one) => holds(call, one, evaluate)));
    const met = all.filter((one) => one.met).length;
    if (all.length > 0 && met === all.length) return {};
    const open = [...any, ...all].find((one) => !one.met);
    const waitingFor = `${met} of ${allOf.length || 1} conditions met${open?.why ? `; ${open.why}` : ""}`;
    progress.update({ progress: { unit: "steps", done: met, total: allOf.length || 1 }, waitingFor });
    const leftMs = startedAt + limitMs - deps.clock.now();
    if (leftMs <= 0) {
      throw new AppError(
        "ACTION_TIMEOUT",
        `the conditions do not hold after ${args.text("timeout")}: ${waitingFor}`,
        {
          retry: false,
        },
      );
    }
    await pause(call, Math.min(ms, leftMs));
  }
}

/** The conditions themselves stay as they are; only the references in them are templates. */
function renderless({ args }: Call): unknown {
  return args.raw("conditions");
}

function read({ data }: Call, list: unknown): Condition[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) throw badArgument("conditions are a list");
  return list.map((one: unknown) => {
    const { condition, objectReference } = recordOf(one);
    if (typeof condition !== "string" || !isRecord(objectReference)) {
      throw badArgument('a condition has the fields "condition" and "objectReference"');
    }
    const reference = renderDeep(objectReference, data, "objectReference") as Reference; // texts stay texts
    return { condition, reference };
  });
}

/** An object that is not there, or a condition that fails on it, does not hold yet. */
async function holds(
  { deps, signal }: Call,
  { condition, reference }: Condition,
  evaluate: (condition: string, object: Json) => string,
): Promise<{ readonly met: boolean; readonly why: string }> {
  const { name = "", namespace } = reference;
  try {
    const place = namespace === undefined ? {} : { namespace };
    const object = await deps.client.get<KubeObject>(resourceOfReference(reference), name, place, signal);
    const printed = evaluate(condition, object as unknown as Json).trim(); // an object of the API is JSON
    return { met: printed === "true", why: "" };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TemplateError || error instanceof AppError || isPathError(error)) {
      return { met: false, why: (error as Error).message };
    }
    throw error;
  }
}

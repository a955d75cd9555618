import { doneWords, headline, type Memory, type Operation, shownState } from "../../progress/index.ts";
import { ageColumn, column, defineKind } from "../kind.ts";
import type { KubeObject } from "../meta.ts";
import { anyObject, bool, choice, int, int64, listOf, num, obj, str } from "../schema.ts";
import { conditionsOf, type OperationCondition } from "./operation-conditions.ts";

const ref = (description: string) =>
  obj(
    description,
    {
      cluster: str("The cluster it is in; absent for this one"),
      apiVersion: str("Its group and version"),
      kind: str("Its kind"),
      namespace: str("Its namespace"),
      name: str("Its name"),
      uid: str("Its uid"),
    },
    ["apiVersion", "kind", "name"],
  );

const states = [
  "pending",
  "running",
  "completed",
  "partially-failed",
  "failed",
  "canceled",
  "skipped",
] as const;

/** The status of an Operation object. Times are epoch milliseconds, as in the operation itself. */
export const operationStatus = obj(
  "The operation, its children, and words for kubectl",
  {
    id: str("Names it among its siblings"),
    ref: ref("The object it belongs to"),
    kind: str("What it is, for a machine"),
    title: str("What it is, for a person"),
    state: choice("Where it is in its life; the last five are final", states),
    progress: obj(
      "How much is done",
      {
        unit: choice("What is counted", ["bytes", "items", "steps"]),
        done: num("How much is done"),
        total: num("How much there is; absent while unknown"),
        estimated: bool("Whether the total is a guess that nobody has measured yet"),
        movedAt: int64("When it last moved, in epoch ms"),
      },
      ["done", "movedAt", "unit"],
    ),
    fraction: num("The share that is done, 0 to 1; never falls; absent while unknown"),
    scopeGrew: obj(
      "The work became more after it had been counted",
      {
        at: int64("When it last grew, in epoch ms"),
        from: num("The first total"),
        to: num("The present total"),
        held: bool("Whether the shown share is held above what the numbers give"),
      },
      ["at", "held"],
    ),
    eta: obj("Seconds left with a range that holds in four of five cases, or why that is unknown", {
      seconds: num("Seconds left"),
      low: num("At least so many"),
      high: num("At most so many"),
      unknown: str("Why there is no honest estimate"),
    }),
    stall: obj(
      "That it stands still, and why",
      { since: int64("Since when, in epoch ms"), cause: str("Why") },
      ["cause", "since"],
    ),
    waitingFor: obj(
      "What it waits for, when it does nothing else",
      {
        reason: str("Why, in one word"),
        object: ref("The object it waits for"),
        message: str("Why, for a person"),
      },
      ["reason"],
    ),
    startedAt: int64("When it began, in epoch ms"),
    finishedAt: int64("When it ended, in epoch ms"),
    message: str("What is going on, or what went wrong"),
    warnings: int("Warnings so far"),
    errors: int("Errors so far"),
    rule: choice("How it is made of its children", ["mean", "sum", "items", "steps"]),
    weight: num("Its share among its siblings"),
    // A structural schema cannot refer to itself: each child has these same fields, children included.
    children: listOf("Its parts, each with these same fields", anyObject("An operation")),
    author: str("The namespace of the operator that writes it; another one takes over when it falls silent"),
    watched: bool("Its author does not do the work, but watches who does"),
    memory: anyObject("What the next process needs to continue the numbers"),
    conditions: listOf(
      "What holds now, as kstatus and kubectl wait read it; nothing reads them back",
      obj(
        "A condition",
        {
          type: choice("Which one", ["Ready", "Reconciling", "Stalled", "Complete", "Failed"]),
          status: choice("Whether it holds", ["True", "False"]),
          reason: str("The state, or the cause of the stall, in one word"),
          message: str("The same for a person"),
          lastTransitionTime: str("Since when it holds"),
        },
        ["status", "type"],
      ),
    ),
    shown: obj("The columns of kubectl get; nothing reads them back", {
      state: str("The state, or stalled"),
      done: str("A percent, or after a failure what was done"),
      message: str("How it ended, where it is stuck, what it waits for, or the time left"),
    }),
  },
  ["id", "kind", "ref", "state", "title"],
);

/** The kind Operation: no spec, since deleting or changing one changes nothing but the view. */
export const operation = defineKind({
  group: "headway.dev",
  version: "v1alpha1",
  kind: "Operation",
  plural: "operations",
  shortNames: ["op"],
  description: "How far something is that takes time, with all its parts",
  fields: { status: operationStatus },
  columns: [
    column("State", ".status.shown.state"),
    column("Done", ".status.shown.done"),
    ageColumn,
    column("Message", ".status.shown.message"),
    column("Ready", ".status.conditions[?(@.type=='Ready')].status", "string", { priority: 1 }),
  ],
});

/** What an Operation object holds. */
export interface OperationStatus extends Operation {
  readonly memory?: Memory;
  readonly author?: string;
  readonly watched?: boolean;
  readonly conditions?: readonly OperationCondition[];
  readonly shown?: { readonly state?: string; readonly done?: string; readonly message?: string };
}

/** How far something is that takes time, with all its parts, as the cluster stores it. */
export interface OperationObject extends KubeObject {
  readonly apiVersion: "headway.dev/v1alpha1";
  readonly kind: "Operation";
  readonly status?: OperationStatus;
}

/**
 * The status to store for an operation: the same tree plus the words for kubectl. They are written without a clock: a
 * stall that lasts changes nothing, and is no reason to write again.
 */
export function writeOperation(tree: Operation, memory?: Memory): OperationStatus {
  const message = headline(tree);
  return {
    ...tree,
    ...(memory && { memory }),
    conditions: conditionsOf(tree),
    shown: { state: shownState(tree), done: doneWords(tree), ...(message !== "" && { message }) },
  };
}

/** The operation that an object holds; counts and lists that a client left out are zero and empty. */
export function readOperation(object: OperationObject): Operation | undefined {
  if (!object.status) return undefined;
  const { shown: _, memory: __, author: ___, watched: ____, conditions: _____, ...tree } = object.status;
  return complete(tree);
}

type Stored = Omit<Operation, "warnings" | "errors" | "children"> &
  Partial<Pick<Operation, "warnings" | "errors">> & { readonly children?: readonly Stored[] | null };

function complete(tree: Stored): Operation {
  return {
    ...tree,
    warnings: tree.warnings ?? 0,
    errors: tree.errors ?? 0,
    children: (tree.children ?? []).map(complete),
  };
}

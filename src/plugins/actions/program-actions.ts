import type { GrpcConnection } from "../goplugin/grpc.ts";
import { MessageWriter } from "../goplugin/protobuf.ts";
import type { ActionCalls, ActionKind, ActionOutput } from "./calls.ts";
import {
  executeRequest,
  noResult,
  operationRequest,
  readBackupResult,
  readProgress,
  readReady,
  readRelated,
  readRestoreResult,
  readSelector,
  readyRequest,
} from "./messages.ts";

/** The service of each kind; two of the packages are called v2, and only those have operations. */
const services: Readonly<Record<ActionKind, string>> = {
  BackupItemAction: "generated.BackupItemAction",
  BackupItemActionV2: "v2.BackupItemAction",
  RestoreItemAction: "generated.RestoreItemAction",
  RestoreItemActionV2: "v2.RestoreItemAction",
  DeleteItemAction: "generated.DeleteItemAction",
  ItemBlockAction: "v1.ItemBlockAction",
};

/** The connection of a program, of which only single calls are needed here. */
export type UnaryConnection = Pick<GrpcConnection, "unary">;

/** An item action of a plugin program. `connection` may start the program, again where it has died. */
export function programAction(
  kind: ActionKind,
  name: string,
  connection: (signal: AbortSignal) => Promise<UnaryConnection>,
): ActionCalls {
  const call = async (rpc: string, request: Uint8Array, signal: AbortSignal): Promise<Uint8Array> =>
    (await connection(signal)).unary(`/${services[kind]}/${rpc}`, request, signal);
  const hasOperations = kind.endsWith("V2");
  return {
    async appliesTo(signal) {
      return readSelector(await call("AppliesTo", new MessageWriter().text(1, name).done(), signal));
    },
    async execute(input, signal) {
      return readOutput(kind, await call("Execute", executeRequest(name, input), signal));
    },
    async getRelatedItems(input, signal) {
      return readRelated(await call("GetRelatedItems", executeRequest(name, input), signal));
    },
    async progress(operationID, owner, signal) {
      if (!hasOperations) throw new Error("it has no operations that go on");
      return readProgress(await call("Progress", operationRequest(name, operationID, owner), signal));
    },
    async cancel(operationID, owner, signal) {
      if (hasOperations) await call("Cancel", operationRequest(name, operationID, owner), signal);
    },
    async areAdditionalItemsReady(items, owner, signal) {
      if (kind !== "RestoreItemActionV2") return true;
      return readReady(await call("AreAdditionalItemsReady", readyRequest(name, items, owner), signal));
    },
  };
}

function readOutput(kind: ActionKind, answer: Uint8Array): ActionOutput {
  if (kind.startsWith("Backup")) return readBackupResult(answer);
  return kind.startsWith("Restore") ? readRestoreResult(answer) : noResult;
}

import { ageColumn, column, defineKind, type ObjectOf } from "../kind.ts";
import { choice, listOf, nullable, obj, str, timeOrNull } from "../schema.ts";
import { v1 } from "./group.ts";

/** The kind ServerStatusRequest. */
export const serverStatusRequest = defineKind({
  ...v1,
  kind: "ServerStatusRequest",
  plural: "serverstatusrequests",
  shortNames: ["ssr"],
  description: "A question for the server's version and plugins",
  fields: {
    spec: obj("Empty", {}),
    status: obj("The answer", {
      phase: choice("Whether there is an answer", ["New", "Processed"]),
      processedTimestamp: timeOrNull("When the answer was given"),
      serverVersion: str("The server's version"),
      plugins: nullable(
        listOf(
          "The server's plugins",
          obj("A plugin", { kind: str("What it does"), name: str("Its name") }, ["kind", "name"]),
        ),
      ),
    }),
  },
  columns: [
    column("Status", ".status.phase"),
    column("Server Version", ".status.serverVersion"),
    column("Processed", ".status.processedTimestamp", "date"),
    ageColumn,
  ],
});

/** A question for the server's version and plugins. */
export type ServerStatusRequest = ObjectOf<typeof serverStatusRequest>;

import type { Operation } from "../../progress/index.ts";
import { type Place, server } from "../server.ts";
import { AskButton } from "./AskButton.tsx";

/** What cancelling does to each kind, so that nobody has to guess. */
const effects: Readonly<Record<string, string>> = {
  Backup:
    "The copies of its volumes are stopped, and what it has stored so far is removed from the storage location. Its phase becomes Failed, with the reason “canceled by request”. It cannot be taken up again. Velero's own server does not cancel a backup that has begun.",
  Restore:
    "The copies of its volumes are stopped. Objects and volumes that are already back stay as they are; nothing is undone. Its phase becomes Failed, with the reason “canceled by request”. It cannot be taken up again. Velero's own server does not cancel a restore that has begun.",
  ActionSet:
    "The phase that runs is cut off and its pods are deleted; later phases are skipped, but the deferred phase, if there is one, still runs. What earlier phases did stays. Its state becomes failed, with the reason “canceled by request”. Kanister's own controller does not cancel.",
  MigMigration:
    "The step that runs is stopped, as are the backups and restores of it. Then its backups and restores are deleted, stage pods and temporary marks are removed, what was already migrated is deleted from the destination, and an application that was stopped on the source is started there again. It cannot be taken up again; a new migration of the same plan can follow.",
};

interface CancelButtonProps {
  readonly operation: Operation;
  readonly place: Place;
}

/** Cancels an operation, after saying what that means. */
export function CancelButton({ operation, place }: CancelButtonProps) {
  return (
    <AskButton
      id="cancel"
      words={["Cancel", "Canceling…"]}
      title={`Cancel ${operation.title}?`}
      answers={["Cancel it", "Let it go on"]}
      act={() => server.cancel(place)}
    >
      {effects[operation.ref.kind] ?? "The work stops where it is."}
    </AskButton>
  );
}

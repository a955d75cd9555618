import { Button } from "@patternfly/react-core";
import type { Operation } from "../../progress/index.ts";
import { writeRoute } from "../route.ts";
import { type Place, server } from "../server.ts";
import { AskButton } from "./AskButton.tsx";

interface NextStepProps {
  readonly operation: Operation;
  readonly place: Place;
}

/** What one does after the end of a backup: one that holds something can be restored, any can be deleted. */
export function NextStep({ operation: { ref, state }, place }: NextStepProps) {
  if (ref.kind !== "Backup") return null;
  const from = `${ref.namespace ?? ""}/${ref.name}`;
  const holds = state === "completed" || state === "partially-failed";
  return (
    <>
      <AskButton
        id="delete"
        words={["Delete", "Deleting…"]}
        title={`Delete the backup ${ref.name}?`}
        answers={["Delete it", "Keep it"]}
        act={() => server.deleteBackup(place)}
      >
        Its files are removed from the storage location, the snapshots of its volumes and its copies in the
        repositories, too, and so are the restores that were made of it. It cannot be brought back.
      </AskButton>
      {holds && (
        <Button
          component="a"
          variant="primary"
          href={writeRoute({ page: "create", what: "restore", cluster: ref.cluster ?? "", from })}
        >
          Restore
        </Button>
      )}
    </>
  );
}

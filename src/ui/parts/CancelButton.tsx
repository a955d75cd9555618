import { Alert, Button, Modal, ModalBody, ModalFooter, ModalHeader } from "@patternfly/react-core";
import { useState } from "react";
import type { Operation } from "../../progress/index.ts";
import { type Place, server } from "../server.ts";

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
  const [isAsking, setAsking] = useState(false);
  const [isSent, setSent] = useState(false);
  const [error, setError] = useState<string>();
  const cancel = async () => {
    try {
      await server.cancel(place);
      setSent(true);
      setAsking(false);
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  };
  return (
    <>
      <Button
        variant="secondary"
        isDanger
        isDisabled={isSent}
        onClick={() => (setError(undefined), setAsking(true))}
      >
        {isSent ? "Canceling…" : "Cancel"}
      </Button>
      <Modal
        variant="small"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        aria-labelledby="cancel-title"
        aria-describedby="cancel-body"
      >
        <ModalHeader title={`Cancel ${operation.title}?`} labelId="cancel-title" titleIconVariant="warning" />
        <ModalBody id="cancel-body">
          {effects[operation.ref.kind] ?? "The work stops where it is."}
          {error !== undefined && (
            <Alert isInline variant="danger" title={error} component="p" className="hw-gap" />
          )}
        </ModalBody>
        <ModalFooter>
          <Button variant="danger" onClick={() => void cancel()}>
            Cancel it
          </Button>
          <Button variant="link" onClick={() => setAsking(false)}>
            Let it go on
          </Button>
        </ModalFooter>
      </Modal>
    </>
  );
}

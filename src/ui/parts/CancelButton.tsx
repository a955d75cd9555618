import { Alert, Button, Modal, ModalBody, ModalFooter, ModalHeader } from "@patternfly/react-core";
import { useState } from "react";
import type { Operation } from "../../progress/index.ts";
import { type Place, server } from "../server.ts";

/** What cancelling does to each kind, so that nobody has to guess. */
const effects: Readonly<Record<string, string>> = {
  Backup:
    "The backup ends as failed with the reason “canceled”. Volumes that are being copied are stopped; what was stored of it is kept until the backup is deleted. It cannot be taken up again. Velero's own server does not cancel a backup that has begun.",
  Restore:
    "The restore ends as failed with the reason “canceled”. Objects and volumes that are already back stay as they are; nothing is undone. It cannot be taken up again. Velero's own server does not cancel a restore that has begun.",
  ActionSet:
    "The phase that runs is stopped, later phases are skipped. What earlier phases did stays. Kanister's own controller does not cancel.",
  MigMigration:
    "The migration goes over to its cancel steps: its backups and restores are deleted, stage pods and temporary labels are removed, what was already migrated is deleted from the destination, and the application is started again on the source.",
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
          {error !== undefined && <Alert isInline variant="danger" title={error} />}
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

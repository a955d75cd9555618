import { Alert, Button, Modal, ModalBody, ModalFooter, ModalHeader } from "@patternfly/react-core";
import { type ReactNode, useState } from "react";

interface AskButtonProps {
  /** Unique on the page. */
  readonly id: string;
  /** Of the button, before and after it was done. */
  readonly words: readonly [string, string];
  readonly title: string;
  /** To do it, and not to. */
  readonly answers: readonly [string, string];
  readonly act: () => Promise<unknown>;
  /** What will happen. */
  readonly children: ReactNode;
}

/** A button that does what cannot be undone, after saying what that means. */
export function AskButton({ id, words, title, answers, act, children }: AskButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const [isSent, setSent] = useState(false);
  const [error, setError] = useState<string>();
  const go = async () => {
    try {
      await act();
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
        {isSent ? words[1] : words[0]}
      </Button>
      <Modal
        variant="small"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-body`}
      >
        <ModalHeader title={title} labelId={`${id}-title`} titleIconVariant="warning" />
        <ModalBody id={`${id}-body`}>
          {children}
          {error !== undefined && (
            <Alert isInline variant="danger" title={error} component="p" className="hw-gap" />
          )}
        </ModalBody>
        <ModalFooter>
          <Button variant="danger" onClick={() => void go()}>
            {answers[0]}
          </Button>
          <Button variant="link" onClick={() => setAsking(false)}>
            {answers[1]}
          </Button>
        </ModalFooter>
      </Modal>
    </>
  );
}

import {
  ActionGroup,
  Alert,
  Breadcrumb,
  BreadcrumbItem,
  Button,
  Form,
  FormGroup,
  PageSection,
  TextInput,
  Title,
} from "@patternfly/react-core";
import { type ComponentType, type ReactNode, useState } from "react";
import type { KubeObject } from "../../api/index.ts";
import { type Draft, newDraft, recipes } from "../manifest.ts";
import { go } from "../navigate.ts";
import {
  ActionFields,
  BackupFields,
  type FieldsProps,
  MigrationFields,
  RestoreFields,
} from "../parts/create-fields.tsx";
import { type CreateWhat, operationAddress } from "../route.ts";
import { server } from "../server.ts";
import { useAsked } from "../use-asked.ts";

const forms: Readonly<
  Record<CreateWhat, { readonly title: string; readonly Fields: ComponentType<FieldsProps> }>
> = {
  backup: { title: "Start a backup", Fields: BackupFields },
  restore: { title: "Start a restore", Fields: RestoreFields },
  action: { title: "Start an action", Fields: ActionFields },
  migration: { title: "Start a migration", Fields: MigrationFields },
};

interface CreateProps {
  readonly what: CreateWhat;
  /** The backup to restore, `namespace/name`. */
  readonly from: string | undefined;
  readonly writes: boolean;
}

/** A short form for one thing, beside the object and the command that it stands for. */
export function Create({ what, from, writes }: CreateProps) {
  const [draft, setDraft] = useState<Draft>(() => firstDraft(what, from));
  const change = (more: Partial<Draft>) => setDraft((old) => ({ ...old, ...more }));
  const { title, Fields } = forms[what];
  const recipe = recipes[what];
  const faults = recipe.faults(draft);
  return (
    <>
      <PageSection>
        <Breadcrumb>
          <BreadcrumbItem to="/">Operations</BreadcrumbItem>
          <BreadcrumbItem isActive>{title}</BreadcrumbItem>
        </Breadcrumb>
        <Title headingLevel="h1">{title}</Title>
      </PageSection>
      <PageSection isFilled aria-label={title}>
        <div className="hw-form">
          <Filling recipe={recipe} draft={draft} faults={faults} writes={writes}>
            <FormGroup label="Name" fieldId="name" isRequired>
              <TextInput id="name" value={draft.name} onChange={(_event, name) => change({ name })} />
            </FormGroup>
            <Fields draft={draft} change={change} />
          </Filling>
          <Meaning manifest={recipe.manifest(draft)} command={recipe.command(draft)} />
        </div>
      </PageSection>
    </>
  );
}

function firstDraft(what: CreateWhat, from: string | undefined): Draft {
  const [namespace = "", backup = ""] = (from ?? "").split("/");
  return { ...newDraft(what, new Date()), ...(backup !== "" && { namespace, backup }) };
}

interface FillingProps {
  readonly recipe: (typeof recipes)[CreateWhat];
  readonly draft: Draft;
  readonly faults: readonly string[];
  readonly writes: boolean;
  readonly children: ReactNode;
}

function Filling({ recipe, draft, faults, writes, children }: FillingProps) {
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  const send = async () => {
    setSending(true);
    try {
      const made = await server.create(recipe.manifest(draft));
      go(operationAddress(`${made.kind.toLowerCase()}/${made.namespace}/${made.name}`));
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
      setSending(false);
    }
  };
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        if (faults.length === 0 && writes && !isSending) void send();
      }}
    >
      {children}
      {error !== undefined && (
        <Alert isInline variant="danger" title="The cluster did not take it">
          {error}
        </Alert>
      )}
      {!writes && <Alert isInline variant="info" title="This server only reads: use the command" />}
      <ActionGroup>
        <Button type="submit" isDisabled={faults.length > 0 || !writes || isSending} isLoading={isSending}>
          Start
        </Button>
        <Button variant="link" component="a" href="/">
          Back
        </Button>
      </ActionGroup>
      <ul className="hw-subtle hw-faults" aria-label="What is missing">
        {faults.map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
    </Form>
  );
}

function Meaning({ manifest, command }: { readonly manifest: KubeObject; readonly command: string }) {
  const { value: yaml } = useAsked(JSON.stringify(manifest), async () => {
    const { stringify } = await import("yaml");
    return stringify(manifest);
  });
  return (
    <section aria-label="What it stands for">
      <Title headingLevel="h2" size="md">
        The command
      </Title>
      <pre className="hw-text" tabIndex={0} aria-label="Command">
        {command}
      </pre>
      <Button variant="link" onClick={() => void navigator.clipboard.writeText(command)}>
        Copy the command
      </Button>
      <Title headingLevel="h2" size="md" className="hw-gap">
        The object
      </Title>
      <pre className="hw-text" tabIndex={0} aria-label="YAML">
        {yaml ?? ""}
      </pre>
    </section>
  );
}

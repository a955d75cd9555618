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
import type { About } from "../../observe/index.ts";
import { type Draft, newDraft, recipes } from "../manifest.ts";
import { go } from "../navigate.ts";
import { ChoiceField } from "../parts/ChoiceField.tsx";
import {
  ActionFields,
  BackupFields,
  type FieldsProps,
  MigrationFields,
  RestoreFields,
} from "../parts/create-fields.tsx";
import { LookFirst } from "../parts/LookFirst.tsx";
import { type CreateWhat, type Route, writeRoute } from "../route.ts";
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
  readonly route: Extract<Route, { readonly page: "create" }>;
  readonly about: About;
}

/** A short form for one thing, beside the object and the command that it stands for. */
export function Create({ route, about }: CreateProps) {
  const { what } = route;
  const [draft, setDraft] = useState<Draft>(() => firstDraft(route));
  const change = (more: Partial<Draft>) => setDraft((old) => ({ ...old, ...more }));
  const { title, Fields } = forms[what];
  const recipe = recipes[what];
  const faults = recipe.faults(draft);
  return (
    <>
      <PageSection>
        <Breadcrumb>
          <BreadcrumbItem to="/operations">Operations</BreadcrumbItem>
          <BreadcrumbItem isActive>{title}</BreadcrumbItem>
        </Breadcrumb>
        <Title headingLevel="h1">{title}</Title>
      </PageSection>
      <PageSection isFilled aria-label={title}>
        <div className="hw-form">
          <Filling recipe={recipe} draft={draft} faults={faults} writes={about.writes}>
            {about.several && (
              <ClusterField
                draft={draft}
                onChoose={(cluster) => setDraft({ ...firstDraft(route), cluster })}
              />
            )}
            <FormGroup label="Name" fieldId="name" isRequired>
              <TextInput id="name" value={draft.name} onChange={(_event, name) => change({ name })} />
            </FormGroup>
            <Fields draft={draft} change={change} />
            {what === "restore" && faults.length === 0 && (
              <LookFirst manifest={recipe.manifest(draft)} cluster={draft.cluster} />
            )}
          </Filling>
          <Meaning manifest={recipe.manifest(draft)} command={recipe.command(draft)} />
        </div>
      </PageSection>
    </>
  );
}

function firstDraft({ what, from, cluster }: CreateProps["route"]): Draft {
  const [namespace = "", backup = ""] = (from ?? "").split("/");
  return {
    ...newDraft(what, new Date()),
    cluster,
    // A restore is of a backup, a backup of a namespace.
    ...(what === "restore" && backup !== "" && { namespace, backup }),
    ...(what === "backup" && namespace !== "" && { namespaces: [namespace] }),
  };
}

/** Where it is started; what was chosen from another cluster is void. */
function ClusterField({
  draft,
  onChoose,
}: {
  readonly draft: Draft;
  readonly onChoose: (cluster: string) => void;
}) {
  const { value = [], error } = useAsked("clusters", (signal) => server.clusters(signal));
  return (
    <ChoiceField
      id="cluster"
      label="Cluster"
      isRequired
      value={draft.cluster}
      options={value.map((each) => [each.name, each.error ? `${each.name} (cannot be reached)` : each.name])}
      error={error}
      onChange={onChoose}
    />
  );
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
      const made = await server.create(recipe.manifest(draft), draft.cluster);
      const { kind, namespace, name } = made;
      const place = { kind: kind.toLowerCase(), namespace, name, cluster: draft.cluster };
      go(writeRoute({ page: "operation", ...place }));
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
        <Alert isInline variant="danger" title="The cluster did not take it" component="h2">
          {error}
        </Alert>
      )}
      {!writes && (
        <Alert isInline variant="info" title="This server only reads: use the command" component="h2" />
      )}
      <ActionGroup>
        <Button type="submit" isDisabled={faults.length > 0 || !writes || isSending} isLoading={isSending}>
          Start
        </Button>
        <Button variant="link" component="a" href="/operations">
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

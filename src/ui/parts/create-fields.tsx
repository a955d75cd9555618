import { Checkbox, FormGroup, TextInput } from "@patternfly/react-core";
import { type Draft, objectKinds } from "../manifest.ts";
import { type Choice, server } from "../server.ts";
import { useAsked } from "../use-asked.ts";
import { ChoiceField } from "./ChoiceField.tsx";
import { FilterMenu } from "./FilterMenu.tsx";

/** What every part of a form is given. */
export interface FieldsProps {
  readonly draft: Draft;
  readonly change: (more: Partial<Draft>) => void;
}

function useChoices(kind: string) {
  const { value = [], error } = useAsked(kind, (signal) => server.choices(kind, signal));
  return { choices: value, error };
}

const idOf = ({ namespace = "", name }: Choice) => `${namespace}/${name}`;

/** Objects of all namespaces in one list; choosing one tells its namespace, too. */
function listed(choices: readonly Choice[]): (readonly [string, string])[] {
  return choices.map((choice) => [
    idOf(choice),
    `${choice.name} (${[choice.namespace, ...choice.notes].join(", ")})`,
  ]);
}

function split(id: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = id.split("/");
  return { namespace, name };
}

function joined(namespace: string, name: string): string {
  return name === "" ? "" : `${namespace}/${name}`;
}

export function BackupFields({ draft, change }: FieldsProps) {
  const locations = useChoices("BackupStorageLocation");
  return (
    <>
      <ChoiceField
        id="location"
        label="Stored in"
        isRequired
        value={joined(draft.namespace, draft.location)}
        options={listed(locations.choices)}
        error={locations.error}
        onChange={(id) => change({ location: split(id).name, namespace: split(id).namespace })}
      />
      <NamespacesField draft={draft} change={change} all="All namespaces" />
      <FormGroup fieldId="volumes">
        <Checkbox
          id="volumes"
          label="Copy the volumes of all pods"
          isChecked={draft.volumes}
          onChange={(_event, volumes) => change({ volumes })}
        />
      </FormGroup>
      <FormGroup label="Keep it for" fieldId="ttl">
        <TextInput id="ttl" value={draft.ttl} onChange={(_event, ttl) => change({ ttl })} />
      </FormGroup>
    </>
  );
}

export function RestoreFields({ draft, change }: FieldsProps) {
  const backups = useChoices("Backup");
  const usable = backups.choices.filter(
    ({ notes }) => notes.includes("Completed") || notes.includes("PartiallyFailed"),
  );
  return (
    <>
      <ChoiceField
        id="backup"
        label="From backup"
        isRequired
        value={joined(draft.namespace, draft.backup)}
        options={listed(usable)}
        error={
          backups.error ??
          (backups.choices.length > 0 && usable.length === 0 ? "No backup has ended well yet" : undefined)
        }
        onChange={(id) => change({ backup: split(id).name, namespace: split(id).namespace })}
      />
      <NamespacesField draft={draft} change={change} all="All namespaces of the backup" />
      <FormGroup fieldId="update">
        <Checkbox
          id="update"
          label="Change objects that are there already"
          description="Otherwise they are left as they are, with a warning."
          isChecked={draft.update}
          onChange={(_event, update) => change({ update })}
        />
      </FormGroup>
    </>
  );
}

export function ActionFields({ draft, change }: FieldsProps) {
  const blueprints = useChoices("Blueprint");
  const profiles = useChoices("Profile");
  const chosen = blueprints.choices.find(
    ({ namespace, name }) => namespace === draft.namespace && name === draft.blueprint,
  );
  return (
    <>
      <ChoiceField
        id="blueprint"
        label="Blueprint"
        isRequired
        value={joined(draft.namespace, draft.blueprint)}
        options={listed(blueprints.choices)}
        error={blueprints.error}
        onChange={(id) => change({ blueprint: split(id).name, namespace: split(id).namespace, action: "" })}
      />
      <ChoiceField
        id="action"
        label="Action"
        isRequired
        value={draft.action}
        options={(chosen?.notes ?? []).map((action) => [action, action])}
        onChange={(action) => change({ action })}
      />
      <ObjectFields draft={draft} change={change} />
      <ChoiceField
        id="profile"
        label="Profile"
        none="None"
        value={draft.profile}
        options={listed(profiles.choices)}
        onChange={(profile) => change({ profile })}
      />
    </>
  );
}

function ObjectFields({ draft, change }: FieldsProps) {
  const namespaces = useChoices("Namespace");
  const names = namespaces.choices.map(({ name }) => [name, name] as const);
  return (
    <>
      <ChoiceField
        id="object-kind"
        label="For a"
        value={draft.objectKind}
        options={objectKinds.map((kind) => [kind, kind])}
        onChange={(kind) =>
          change({ objectKind: objectKinds.find((known) => known === kind) ?? "Deployment" })
        }
      />
      {draft.objectKind !== "Namespace" && (
        <ChoiceField
          id="object-namespace"
          label="In namespace"
          isRequired
          value={draft.objectNamespace}
          options={names}
          error={namespaces.error}
          onChange={(objectNamespace) => change({ objectNamespace })}
        />
      )}
      <FormGroup label="Named" fieldId="object-name" isRequired>
        <TextInput
          id="object-name"
          value={draft.objectName}
          onChange={(_event, objectName) => change({ objectName })}
        />
      </FormGroup>
    </>
  );
}

export function MigrationFields({ draft, change }: FieldsProps) {
  const plans = useChoices("MigPlan");
  return (
    <>
      <ChoiceField
        id="plan"
        label="Plan"
        isRequired
        value={joined(draft.namespace, draft.plan)}
        options={listed(plans.choices)}
        error={plans.error}
        onChange={(id) => change({ plan: split(id).name, namespace: split(id).namespace })}
      />
      <FormGroup fieldId="stage">
        <Checkbox
          id="stage"
          label="Stage only"
          description="Copies volumes ahead of time; the application goes on where it is."
          isChecked={draft.stage}
          onChange={(_event, stage) => change({ stage })}
        />
        <Checkbox
          id="quiesce"
          label="Stop the application on the source before its volumes are copied"
          isDisabled={draft.stage}
          isChecked={draft.quiesce && !draft.stage}
          onChange={(_event, quiesce) => change({ quiesce })}
        />
      </FormGroup>
    </>
  );
}

function NamespacesField({ draft, change, all }: FieldsProps & { readonly all: string }) {
  const { choices, error } = useChoices("Namespace");
  const names = choices.map(({ name }) => [name, name] as const);
  return (
    <FormGroup label="Namespaces" role="group" fieldId="namespaces">
      <FilterMenu
        title={draft.namespaces.length === 0 ? all : draft.namespaces.join(", ")}
        options={names}
        chosen={draft.namespaces}
        onChoose={(namespaces) => change({ namespaces })}
      />
      {error !== undefined && <p className="hw-subtle">{error}</p>}
    </FormGroup>
  );
}

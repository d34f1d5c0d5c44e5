import { is, type Match } from '#store/form/matches.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Model } from '#model/schema/model.js';
import { type ModelOption, optionOf, type PublicationGuard } from '#model/schema/model-option.js';
import type { Values } from '#base/values.js';

/** A step that an entry passes on its way to publication. */
export interface Stage {
  readonly name: string;
  /** `#` and six hexadecimal digits. */
  readonly color: string;
  /** The names or codes of the roles of administrators that move entries into and out of it; empty for all who may update the entry. */
  readonly roles: readonly string[];
}

interface StatedWorkflow {
  readonly stages: readonly (Pick<Stage, 'name'> & Partial<Stage>)[];
  readonly publishFrom?: string;
}

const defaultColor = '#4945ff';

/** The stages of a type, in their order. */
export class Workflow implements PublicationGuard {
  readonly stages: readonly Stage[];
  /** The only stage from which entries are published; null if they are from each. */
  readonly publishFrom: string | null;

  constructor({ stages, publishFrom = null }: Pick<StatedWorkflow, 'stages'> & { readonly publishFrom?: string | null }) {
    this.stages = stages.map((stage) => ({ color: defaultColor, roles: [], ...stage }));
    this.publishFrom = publishFrom;
  }

  /** The stage of new entries. */
  get first(): string {
    return this.stages[0]?.name ?? ''; // the schema demands one
  }

  /** Returns a stage by its name; undefined if there is none. */
  stage(name: string): Stage | undefined {
    return this.stages.find((one) => one.name === name);
  }

  /** Returns the name of the stage of a stored entry. One that is renamed or removed counts as the first. */
  stageOf({ stage }: Values): string {
    return typeof stage === 'string' && this.stage(stage) !== undefined ? stage : this.first;
  }

  /** Returns a match for entries in a stage. */
  matchStage(name: string): Match {
    const others = this.stages.map((one) => one.name).filter((one) => one !== name);
    return { stage: name === this.first ? is.noneOf(others) : name };
  }

  publicationRefusal(entry: Values): string | null {
    const stage = this.stageOf(entry);
    if (this.publishFrom === null || stage === this.publishFrom) return null;
    return `This entry is in the stage "${stage}". It can be published from the stage "${this.publishFrom}" alone.`;
  }
}

const name = { type: 'string', minLength: 1, maxLength: 60 };

/**
 * `options.workflow`. It adds the attributes `stage`, a text, and `assignee`, the id of an administrator. Components have no stages, and types
 * of the service neither.
 */
export const workflowOption: ModelOption<Workflow, StatedWorkflow> = {
  key: 'workflow',
  schema: {
    type: 'object',
    required: ['stages'],
    properties: {
      stages: {
        type: 'array',
        minItems: 1,
        maxItems: 50,
        items: {
          type: 'object',
          required: ['name'],
          properties: {
            name,
            color: { type: 'string', pattern: '^#[0-9a-fA-F]{6}$' },
            roles: { type: 'array', maxItems: 100, items: { ...name, maxLength: 255 } },
          },
          additionalProperties: false,
        },
      },
      publishFrom: name,
    },
    additionalProperties: false,
  },
  read: (optionValue, { uid, kind }) =>
    optionValue === undefined || kind === undefined || !uid.startsWith('api::') ? null : new Workflow(optionValue),
  attributes: ({ first }) => ({
    stage: { type: 'string', default: first, index: true },
    assignee: { type: 'integer', index: true },
  }),
  problems: ({ stages, publishFrom }, { options }: Model) => {
    const names = stages.map((stage) => stage.name);
    const repeated = names.find((one, index) => names.indexOf(one) !== index);
    return [
      ...(repeated === undefined ? [] : [`options.workflow.stages has ${JSON.stringify(repeated)} twice`]),
      ...(publishFrom === null || names.includes(publishFrom)
        ? []
        : [`options.workflow.publishFrom must be one of the stages: ${names.join(', ')}`]),
      ...(publishFrom === null || options?.draftAndPublish === true
        ? []
        : ['options.workflow.publishFrom requires options.draftAndPublish']),
    ];
  },
};

/** Returns the workflow of a type; null if it has none. */
export const workflowOf = (type: Pick<ContentType, 'options'>): Workflow | null => optionOf(type, workflowOption);

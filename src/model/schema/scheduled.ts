import type { ContentType } from './content-type.js';
import type { AttributeDefinition, Model } from './model.js';
import type { ModelOption } from './model-option.js';

/** Returns whether entries of a model are published and unpublished at the times that they state. */
export const isScheduled = ({ kind, pluginOptions }: Model): boolean =>
  kind !== undefined && pluginOptions?.['schedule']?.enabled === true;

/** Whether `publishAt` and `unpublishAt` of entries take effect (`pluginOptions.schedule.enabled`). */
export const scheduleOption: ModelOption<true> = {
  key: 'schedule',
  read: (_optionValue, model) => (isScheduled(model) ? true : null),
};

/** Returns whether entries of a type are published and unpublished at the times that they state. */
export const hasSchedule = ({ options }: ContentType): boolean => options.has(scheduleOption.key);

/** Each locale has times of its own, as it has `publishedAt`. */
const instant: AttributeDefinition = { type: 'datetime', index: true, pluginOptions: { i18n: { localized: true } } };

/** Returns the attributes that a model with scheduled publishing has in addition. */
export const scheduledAttributes = (model: Model): Model['attributes'] =>
  isScheduled(model) ? Object.fromEntries(scheduledNames.map((name) => [name, instant])) : {};

/** The attributes with the times at which an entry is published and unpublished. */
export const scheduledNames = ['publishAt', 'unpublishAt'] as const;

/** Returns what is wrong with a model with scheduled publishing. */
export function scheduleProblems(model: Model): string[] {
  if (!isScheduled(model)) return [];
  const others = scheduledNames.filter((name) => (model.attributes[name]?.type ?? 'datetime') !== 'datetime');
  const problems = others.map((name) => `attributes.${name} must be a datetime, because pluginOptions.schedule is enabled`);
  if (model.options?.draftAndPublish === true) return problems;
  return [...problems, 'pluginOptions.schedule requires options.draftAndPublish'];
}

/** Returns whether an attribute has the time at which an entry is published or unpublished. */
export const isScheduledName = (name: string): boolean => scheduledNames.some((scheduled) => scheduled === name);

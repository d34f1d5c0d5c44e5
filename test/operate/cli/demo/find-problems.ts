import { targetsOf, type AttributeDefinition, type Model } from '#model/schema/model.js';

/**
 * What a value is checked against: the models, the entries loaded before it (`name.key` to uid) and the files (`file.name` to
 * uid), and what a draft may leave open.
 */
export interface Context {
  readonly models: ReadonlyMap<string, Model>;
  readonly known: ReadonlyMap<string, string>;
  readonly draft: boolean;
}

type Values = Readonly<Record<string, unknown>>;
type Check = (value: unknown, attribute: AttributeDefinition, context: Context) => readonly string[];

/** Every breach of an attribute rule in `data`, one line each that begins with the path; empty when all is well. */
export function findProblems(model: Model, data: Values, context: Context): string[] {
  const unknown = Object.keys(data).filter((name) => !(name in model.attributes) && !isSystemName(name, model));
  const checked = Object.entries(model.attributes).flatMap(([name, attribute]) =>
    findInAttribute(data[name], attribute, context).map((problem) => `${name}: ${problem}`),
  );
  return [...unknown.map((name) => `${name}: no such attribute`), ...checked];
}

const isSystemName = (name: string, model: Model) =>
  (name === 'publishedAt' && model.options?.draftAndPublish === true) || (name === '__component' && !model.kind);

function findInAttribute(value: unknown, attribute: AttributeDefinition, context: Context): readonly string[] {
  if (value === undefined) {
    const needed = attribute.required && attribute.default === undefined && !(context.draft && attribute.repeatable !== true);
    return needed ? ['required'] : [];
  }
  const check = checks[attribute.type];
  return check ? check(value, attribute, context) : [`no check for type ${attribute.type}`];
}

const checks: Readonly<Record<string, Check>> = {
  string: checkText,
  text: checkText,
  richtext: checkText,
  email: (value, attribute, context) => [
    ...checkText(value, attribute, context),
    ...checkPattern(value, /^[^@\s]+@[^@\s]+\.[a-z]+$/),
  ],
  uid: (value, attribute, context) => [...checkText(value, attribute, context), ...checkPattern(value, /^[A-Za-z0-9-_.~]+$/)],
  enumeration: (value, { enum: values = [] }) => (values.includes(String(value)) ? [] : [`${String(value)} is not in the list`]),
  integer: checkInteger,
  boolean: (value) => (typeof value === 'boolean' ? [] : ['not a boolean']),
  date: (value) => (isDate(value) ? [] : ['not a date']),
  media: checkMedia,
  relation: checkRelation,
  component: checkComponent,
  dynamiczone: checkZone,
};

function checkText(
  value: unknown,
  { minLength = 0, maxLength = Infinity, regex }: AttributeDefinition,
  { draft }: Context,
): string[] {
  if (typeof value !== 'string') return ['not a string'];
  return [
    ...(value.trim() === value && value !== '' ? [] : ['empty or padded with spaces']),
    ...(value.length >= minLength || draft ? [] : [`shorter than ${minLength}`]),
    ...(value.length <= maxLength ? [] : [`${value.length} characters, longer than ${maxLength}`]),
    ...(regex === undefined ? [] : checkPattern(value, new RegExp(regex))),
  ];
}

const checkPattern = (value: unknown, pattern: RegExp) =>
  pattern.test(String(value)) ? [] : [`does not match ${pattern.source}`];

function checkInteger(value: unknown, { min = -Infinity, max = Infinity }: AttributeDefinition): string[] {
  if (!Number.isInteger(value)) return ['not an integer'];
  return Number(value) >= Number(min) && Number(value) <= Number(max) ? [] : [`not between ${min} and ${max}`];
}

const isDate = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && new Date(value).toISOString().startsWith(value);

function checkRelation(value: unknown, attribute: AttributeDefinition, context: Context): string[] {
  const many = attribute.relation?.endsWith('ToMany') === true;
  return checkReferences(value, { many, target: targetsOf(attribute)[0] ?? '' }, context);
}

/** All files of the demo are images. */
function checkMedia(value: unknown, { multiple = false, allowedTypes = ['images'] }: AttributeDefinition, context: Context) {
  return [
    ...(allowedTypes.includes('images') ? [] : ['takes no images']),
    ...checkReferences(value, { many: multiple, target: 'plugin::upload.file' }, context),
  ];
}

interface Wanted {
  readonly many: boolean;
  readonly target: string;
}

function checkReferences(value: unknown, { many, target }: Wanted, { known }: Context): string[] {
  if (many !== Array.isArray(value)) return [many ? 'not an array' : 'not a single reference'];
  const keys = (many ? (value as unknown[]) : [value]).map((item) => String((item as Values)['$ref']));
  return [
    ...(new Set(keys).size === keys.length ? [] : ['the same entry twice']),
    ...keys.filter((key) => known.get(key) !== target).map((key) => `${key} is not an earlier ${target}`),
  ];
}

function checkComponent(value: unknown, attribute: AttributeDefinition, context: Context): string[] {
  if (attribute.repeatable !== true) return findInComponent(value, attribute.component, context);
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  return [
    ...checkCount(value, attribute),
    ...items.flatMap((item, index) =>
      findInComponent(item, attribute.component, context).map((problem) => `[${index}] ${problem}`),
    ),
  ];
}

function checkZone(value: unknown, attribute: AttributeDefinition, context: Context): string[] {
  const items = Array.isArray(value) ? (value as Values[]) : [];
  return [
    ...checkCount(value, attribute),
    ...items.flatMap((item, index) => {
      const uid = String(item['__component']);
      const problems = attribute.components?.includes(uid)
        ? findInComponent(item, uid, context)
        : [`${uid} does not belong here`];
      return problems.map((problem) => `[${index}] ${problem}`);
    }),
  ];
}

function checkCount(value: unknown, { min = 0, max = Infinity, required }: AttributeDefinition): string[] {
  if (!Array.isArray(value)) return ['not an array'];
  const enough = value.length >= Number(min) || (value.length === 0 && !required);
  return enough && value.length <= Number(max) ? [] : [`${value.length} items, not between ${min} and ${max}`];
}

function findInComponent(value: unknown, uid: string | undefined, context: Context): string[] {
  const model = context.models.get(uid ?? '');
  if (!model) return [`no component ${uid ?? ''}`];
  return typeof value === 'object' && value !== null ? findProblems(model, value as Values, context) : ['not an object'];
}

import { setTimeout as delay } from 'node:timers/promises';
import { conversions, type Survey } from '#store/models/convert-values.js';
import { modelStates } from '#store/models/model-states.js';
import { servedCollections } from '#store/models/served-collections.js';
import type { Database } from '#store/send/database.js';
import { claim } from '#store/stores/claim.js';
import { readModels, servedModels, writeModels } from '#store/stores/model-store.js';
import { suggest } from '#base/nearest-name.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import type { Registry, ScalarAttribute, ScalarType } from '#model/schema/content-type.js';
import { convertible, convertedDefinition } from '#model/schema/convert-value.js';
import type { AttributeDefinition, Model } from '#model/schema/model.js';
import type { OpenedDatabase } from './open-service.js';
import { print } from './print.js';
import { recordCommand } from './record-command.js';
import { refuseFurtherArguments, flag, parseWords, requiredArgument, text, UsageError } from './usage-error.js';

type ValueConversion = Parameters<typeof conversions.survey>[0];

interface ConversionRequest {
  readonly uid: string;
  readonly attribute: string;
  readonly to: ScalarType;
  readonly isDry: boolean;
  /** Whether values that cannot be converted become null. */
  readonly toNull: boolean;
  readonly isJson: boolean;
  readonly enum: readonly string[] | null;
}

/** Changes the type of an attribute and converts its values, or counts what would be converted. Returns the exit code. */
export async function convertModel(opened: OpenedDatabase, args: readonly string[]): Promise<number> {
  const asked = readArguments(args);
  const models = await readModels(opened.database);
  const { registry } = buildRegistry(await servedModels(opened.database, models), opened.settings);
  await conversions.refuseMoved({ ...asked, registry }, models, opened.database);
  const { model, scalar, definition } = findAttribute(asked, models, registry);
  const { uid, attribute, to } = asked;
  const conversion = await withValues(asked, { uid, attribute, registry, database: opened.database });
  const isResumed = scalar.type === to && to !== 'enumeration';
  const changed = {
    ...model,
    attributes: { ...model.attributes, [attribute]: convertedDefinition(scalar, definition, conversion.to) },
  };
  if (!isResumed) await refuseInvalid(changed, models, opened);
  const survey = isResumed ? nothing : await conversions.survey(conversion);
  show(asked, survey, scalar.type);
  const isRefused = survey.unconvertible > 0 && !asked.toNull;
  if (asked.isDry || isRefused) return isRefused ? 1 : 0;
  await run(opened, { request: asked, conversion, changed: isResumed ? null : changed, args });
  if (!asked.isJson) print(`${uid} ${attribute} is of type ${to} now`);
  return 0;
}

const nothing: Survey = { convertible: 0, unconvertible: 0, examples: [] };

interface FoundAttribute {
  readonly model: Model;
  readonly scalar: ScalarAttribute;
  readonly definition: AttributeDefinition;
}

/** Returns the attribute that is converted. Throws an Error if there is none, or if its values cannot be converted. */
function findAttribute(
  { uid, attribute }: ConversionRequest,
  models: readonly { readonly uid: string }[],
  registry: Registry,
): FoundAttribute {
  const model = models.find((one) => one.uid === uid) as Model | undefined; // is checked below
  const uids = models.map((one) => one.uid);
  if (model === undefined) throw new Error(`there is no model ${uid}${suggest(uid, uids)}`);
  const known = registry.types.get(uid)?.attributes;
  const scalar = known?.get(attribute);
  const definition = model.attributes[attribute];
  if (scalar === undefined) throw new Error(`${uid} has no attribute ${attribute}${suggest(attribute, known?.keys() ?? [])}`);
  if (scalar.kind !== 'scalar' || definition === undefined)
    throw new Error(`${attribute} is not a scalar attribute of the model`);
  if (scalar.type === 'password') throw new Error('passwords are stored as hashes and cannot be converted');
  return { model, scalar, definition };
}

/** Returns a conversion with the values of the enumeration, if it leads to one. */
async function withValues(asked: ConversionRequest, about: Omit<ValueConversion, 'to'>): Promise<ValueConversion> {
  if (asked.to !== 'enumeration') return { ...about, to: { type: asked.to, enum: [] } };
  const values = asked.enum ?? (await conversions.storedTexts({ ...about, to: { type: 'string', enum: [] } }, mostValues));
  if (values.length > mostValues && asked.enum === null)
    throw new Error(
      `${asked.attribute} has more than ${String(mostValues)} different values; name those of the enumeration with --enum`,
    );
  return { ...about, to: { type: asked.to, enum: values } };
}

/** Maximum number of values that an enumeration gets from the stored ones. */
const mostValues = 100;

function readArguments(args: readonly string[]): ConversionRequest {
  const options = { to: text, 'dry-run': flag, json: flag, unconvertible: text, enum: text };
  const { values, positionals } = parseWords(args, options);
  const [uid, attribute, ...more] = positionals;
  refuseFurtherArguments(more);
  const to = convertible.find((type) => type === requiredArgument(values.to, '--to TYPE'));
  if (to === undefined)
    throw new UsageError(`nothing can be converted to ${String(values.to)}${suggest(String(values.to), convertible)}`);
  if (values.unconvertible !== undefined && values.unconvertible !== 'null')
    throw new UsageError(`--unconvertible takes null, not ${values.unconvertible}`);
  if (values.enum !== undefined && to !== 'enumeration') throw new UsageError('--enum needs --to enumeration');
  return {
    uid: requiredArgument(uid, 'a uid'),
    attribute: requiredArgument(attribute, 'an attribute'),
    to,
    isDry: values['dry-run'],
    toNull: values.unconvertible === 'null',
    isJson: values.json,
    enum: values.enum === undefined ? null : values.enum.split(',').map((value) => value.trim()),
  };
}

async function refuseInvalid(
  changed: Model,
  models: readonly { readonly uid: string }[],
  { database, settings }: OpenedDatabase,
): Promise<void> {
  const all = models.map((one) => (one.uid === changed.uid ? changed : one));
  const problems =
    buildRegistry(all, { ...settings, foreign: await servedCollections.findForeign(all, database) }).problems.get(changed.uid) ??
    [];
  if (problems.length > 0) throw new Error(`${changed.uid} would be refused: ${problems.join('; ')}`);
}

function show(
  { uid, attribute, to, isJson, toNull }: ConversionRequest,
  { convertible: right, unconvertible: wrong, examples }: Survey,
  from: string,
): void {
  if (isJson)
    return void print(JSON.stringify({ uid, attribute, from, to, convertible: right, unconvertible: wrong, examples }, null, 2));
  print(`${uid} ${attribute}, ${from} to ${to}: ${String(right)} can be converted, ${String(wrong)} cannot`);
  for (const { collection, id, reason } of examples) print(`  ${collection} ${String(id)}: ${reason}`);
  if (wrong > examples.length) print(`  and ${String(wrong - examples.length)} more`);
  if (wrong > 0 && !toNull) print('nothing was changed; correct them, or set them to null with --unconvertible null');
}

interface Running {
  readonly request: ConversionRequest;
  readonly conversion: ValueConversion;
  /** Null if the model has the new type already, because the command was interrupted. */
  readonly changed: Model | null;
  readonly args: readonly string[];
}

/** Maximum number of milliseconds for which the command waits for instances that do not serve the new model. */
const longestWait = 10_000;

/** Milliseconds after which requests that began before the change have written. */
const afterwards = 250;

async function run({ database }: OpenedDatabase, { request, conversion, changed, args }: Running): Promise<void> {
  const busy = () => new Error('another command is converting values; run this one after it');
  const work = async (): Promise<void> => {
    if (changed !== null) await conversions.prepare(conversion);
    const before = await revisionsOf(request.uid, database);
    if (changed !== null) await writeModels(database, [changed]);
    await conversions.finish(conversion);
    if (changed !== null) await untilServed(request.uid, before, database);
    await conversions.convertLate(conversion);
    if (before.size > 0) await delay(afterwards);
    await conversions.convertLate(conversion);
  };
  await recordCommand(database, ['models convert', args], () => claim(database, 'models convert', { work, busy }));
}

/** Returns the revision of a model on each instance that is alive. */
const revisionsOf = async (uid: string, database: Database): Promise<ReadonlyMap<string, string | null>> =>
  new Map((await modelStates.read(database, [uid], mostInstances)).map(({ instance, revision = null }) => [instance, revision]));

const mostInstances = 1_000;

/** Resolves when no instance serves its former revision of a model any more, but after some time at the latest. */
async function untilServed(uid: string, before: ReadonlyMap<string, string | null>, database: Database): Promise<void> {
  const end = performance.now() + longestWait;
  for (;;) {
    const now = await revisionsOf(uid, database);
    const isLate = [...before].some(([instance, revision]) => now.get(instance) === revision);
    if (!isLate || performance.now() > end) return;
    await delay(50);
  }
}

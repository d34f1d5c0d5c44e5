import { type LoadedEntry, type RelatedEntries, withoutPopulatedRelations } from '#store/form/loaded.js';
import type { Budget } from '#base/limits/budget.js';
import type { Child } from '#model/query/plan.js';
import type { LinkAttribute, MorphAttribute } from '#model/schema/content-type.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { readInteger } from '#model/schema/stored-values.js';
import { bytesOf } from '#base/values.js';
import { type ContentContext, costsTooMuchLate, withoutBudget } from './content-context.js';

/** The values of an entry in an answer, by attribute or alias. */
export type Shaped = Record<string, unknown>;

/** The presentation of entries and their relations in a front end. */
export interface Presentation<Shown> {
  /** An object that the values of an entry are added to. */
  readonly start: (entry: LoadedEntry) => Shaped;
  /** Returns an entry with these values. */
  readonly entry: (entry: LoadedEntry, values: Shaped) => Shown;
  /** The value of a relation to one; null if there is none. */
  readonly one: (entry: Shown | null) => unknown;
  /** The value of a relation to many. */
  readonly many: (entries: readonly Shown[], link: LinkAttribute) => unknown;
  /** The value of a relation if only the number of its entries was asked for. */
  readonly count: (count: number) => unknown;
  /** The value of a polymorphic relation; undefined leaves its key out. */
  readonly targets: (targets: readonly Shaped[], attribute: MorphAttribute) => unknown;
  /** The presentation of entries that targets of polymorphic relations populate; by default this one. */
  readonly inTargets?: Presentation<Shaped>;
  /**
   * Whether the shaped values are the answer. If so, their bytes are counted, and an entry that appears several times is shaped
   * once.
   */
  readonly isAnswer: boolean;
}

/** Returns a function that shapes the entries of one answer. It throws a ValidationError if the answer exceeds the budget. */
export function createShaper<Shown>(presentation: Presentation<Shown>, budget: Budget): (entry: LoadedEntry) => Shown {
  const shaping = createShaping(presentation, budget);
  return (entry) => shapeEntry(entry, shaping);
}

const createShaping = <Shown>(presentation: Presentation<Shown>, budget: Budget): Shaping<Shown> => ({
  presentation,
  budget,
  shapedEntries: new Map(),
  inTargets: presentation.inTargets === undefined ? null : createShaping(presentation.inTargets, budget),
});

/**
 * Calls `show` with an entry. If the entry exceeds the budget after a write was stored, calls it again without populated
 * relations.
 */
export function showStoredValues<Shown>(
  entry: LoadedEntry,
  context: ContentContext,
  show: (entry: LoadedEntry, context: ContentContext) => Shown,
): Shown {
  try {
    return show(entry, context);
  } catch (error) {
    if (!costsTooMuchLate(error, context)) throw error;
    return show(withoutPopulatedRelations(entry), withoutBudget(context));
  }
}

interface Shaping<Shown> {
  readonly presentation: Presentation<Shown>;
  readonly budget: Budget;
  /** Entries that were shaped before. */
  readonly shapedEntries: Map<LoadedEntry, KnownEntry<Shown>>;
  /** The shaping of entries that targets of polymorphic relations populate; null if it is the same. */
  readonly inTargets: Shaping<Shaped> | null;
}

/** A shaped entry, and the cost of each place where it appears. */
interface KnownEntry<Shown> {
  readonly form: Shown;
  readonly rendered: number;
  readonly bytes: number;
}

function shapeEntry<Shown>(entry: LoadedEntry, shaping: Shaping<Shown>): Shown {
  const { presentation } = shaping;
  return presentation.entry(entry, shapeValues(presentation.start(entry), entry, shaping));
}

function shapeRelated<Shown>(entry: LoadedEntry, shaping: Shaping<Shown>): Shown {
  const { presentation, budget, shapedEntries } = shaping;
  if (!presentation.isAnswer) return shapeEntry(entry, shaping);
  const before = shapedEntries.get(entry);
  if (before !== undefined) {
    budget.spend('entriesRendered', before.rendered);
    budget.spend('answerBytes', before.bytes);
    return before.form;
  }
  const [rendered, bytes] = [budget.spent('entriesRendered'), budget.spent('answerBytes')];
  const shown = shapeEntry(entry, shaping);
  const spent = { rendered: budget.spent('entriesRendered') - rendered, bytes: budget.spent('answerBytes') - bytes };
  shapedEntries.set(entry, { form: shown, ...spent });
  return shown;
}

/** Adds the loaded scalars and children of an entry or component to `values`. This is the only walk over a loaded tree. */
function shapeValues<Shown>(values: Shaped, { document, selection, children }: LoadedEntry, shaping: Shaping<Shown>): Shaped {
  const { presentation, budget } = shaping;
  budget.spend('entriesRendered');
  let bytes = around;
  for (const { name, type } of selection.fields) {
    const value = document[name];
    const shown = value === null || value === undefined ? null : scalarTypes[type].output(value);
    values[name] = shown;
    if (presentation.isAnswer) bytes += name.length + bytesOf(shown);
  }
  if (presentation.isAnswer) budget.spend('answerBytes', bytes);
  for (const [slot, child] of selection.children.entries()) {
    const shaped = shapeChild(child, children[slot] ?? [], shaping);
    if (shaped !== undefined) values[child.key] = shaped;
  }
  return values;
}

/** Bytes of the braces, the id, and the keys of an entry. */
const around = 40;

function shapeChild<Shown>(child: Child, related: RelatedEntries, shaping: Shaping<Shown>): unknown {
  const { presentation } = shaping;
  if (typeof related === 'number') return presentation.count(related);
  switch (child.kind) {
    case 'link':
      return shapeLink(child.link, related, shaping);
    case 'morph':
      return presentation.targets(
        related.map((target) => shapeTarget(target, shaping)),
        child.attribute,
      );
    case 'component': {
      const parts = related.map((part) => shapeValues({ id: readInteger(part.document['id']) }, part, shaping));
      return child.attribute.repeatable ? parts : (parts[0] ?? null);
    }
    case 'zone':
      return related.map((part) => shapePart(part, shaping));
  }
}

function shapeLink<Shown>(link: LinkAttribute, related: readonly LoadedEntry[], shaping: Shaping<Shown>): unknown {
  const { one, many } = shaping.presentation;
  if (link.many)
    return many(
      related.map((entry) => shapeRelated(entry, shaping)),
      link,
    );
  const [only] = related;
  return one(only === undefined ? null : shapeRelated(only, shaping));
}

/** Shapes a target of a polymorphic relation, an entry or component: flat values, with its type. */
function shapeTarget<Shown>(target: LoadedEntry, shaping: Shaping<Shown>): Shaped {
  const { document, selection } = target;
  const start = { __type: selection.type.uid, id: document['_id'] ?? document['id'] };
  return shaping.inTargets === null ? shapeValues(start, target, shaping) : shapeValues(start, target, shaping.inTargets);
}

/** Shapes a part of a dynamic zone, with the uid of its component. */
const shapePart = <Shown>(part: LoadedEntry, shaping: Shaping<Shown>): Shaped =>
  shapeValues({ id: readInteger(part.document['id']), __component: part.selection.type.uid }, part, shaping);

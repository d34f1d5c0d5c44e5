import { fieldErrors } from '#base/errors.js';
import { type ContentType, type Registry, attributeOf } from '#model/schema/content-type.js';
import { hasParts, mapParts } from '#model/schema/parts.js';
import { isRecord, type Values } from '#base/values.js';

/** An entry that a request of a batch has created. */
interface CreatedEntry {
  readonly uid: string;
  readonly id: number;
}

/** A place in a batch, as the path of an error names it. */
type Place = readonly string[];

/** The form of a reference to what an earlier request of the batch has created: `$0`. */
const reference = /^\$\d+$/;

/** Returns what stands for a text in a relation. `target` is the uid that the entry must have; null if any may be linked. */
type ReplaceLink = (text: string, target: string | null, at: Place) => unknown;

interface LinkMapping {
  readonly type: ContentType;
  readonly registry: Pick<Registry, 'types'>;
  readonly replace: ReplaceLink;
}

/** Returns values of an entry with others in place of the texts in its relations, also in those of components. */
export function mapLinks(values: Values, mapping: LinkMapping, at: Place): Values {
  const { type, registry, replace } = mapping;
  return mapValues(values, at, (value, name, place) => {
    const attribute = attributeOf(type, name);
    if (hasParts(attribute))
      return mapParts(attribute, value, registry, (part, inner) => mapLinks(part, { ...mapping, type: inner }, place));
    if (attribute?.kind === 'relation') return mapLink(value, attribute.target, { replace, at: place });
    return attribute?.kind === 'morph' ? mapLink(value, null, { replace, at: place }) : value;
  });
}

/** Returns the value of a relation with others in place of its texts. */
function mapLink(
  value: unknown,
  target: string | null,
  { replace, at }: { readonly replace: ReplaceLink; readonly at: Place },
): unknown {
  if (typeof value === 'string') return replace(value, target, at);
  if (Array.isArray(value)) return value.map((item, index) => mapLink(item, target, { replace, at: [...at, String(index)] }));
  if (!isRecord(value)) return value;
  const named = value['__type'] ?? value['type'];
  const uid = typeof named === 'string' ? named : target;
  return mapValues(value, at, (inner, _name, place) => mapLink(inner, uid, { replace, at: place }));
}

/** The entries that the requests of one batch have created so far. */
export class CreatedEntries {
  readonly #entries = new Map<string, CreatedEntry>();
  readonly #registry: Pick<Registry, 'types'>;

  constructor(registry: Pick<Registry, 'types'>) {
    this.#registry = registry;
  }

  add(index: number, entry: CreatedEntry): void {
    this.#entries.set(`$${String(index)}`, entry);
  }

  /**
   * Returns values of an entry with ids in place of references in relations, also in those of components. Throws a ValidationError for
   * a reference to what no earlier request has created, or to an entry of another type.
   */
  resolve(values: Values, type: ContentType, at: Place): Values {
    const replace: ReplaceLink = (text, target, place) => (reference.test(text) ? this.#idOf(text, target, place) : text);
    return mapLinks(values, { type, registry: this.#registry, replace }, at);
  }

  /** Returns a path with ids in place of references, and the entries of these. Throws as `resolve` does. */
  resolvePath(path: string, at: Place): { readonly path: string; readonly entries: readonly CreatedEntry[] } {
    const entries: CreatedEntry[] = [];
    const parts = path.split('/').map((part) => {
      if (!reference.test(part)) return part;
      const entry = this.#find(part, at);
      entries.push(entry);
      return String(entry.id);
    });
    return { path: parts.join('/'), entries };
  }

  #idOf(text: string, target: string | null, at: Place): number {
    const entry = this.#find(text, at);
    if (target !== null) checkType(entry, target, at);
    return entry.id;
  }

  #find(text: string, at: Place): CreatedEntry {
    const entry = this.#entries.get(text);
    if (entry === undefined)
      throw wrongReference(at, `${text} is not the number of an earlier request that has created an entry`);
    return entry;
  }
}

/** Throws a ValidationError if a created entry is of another type than a place expects. */
export function checkType({ uid }: CreatedEntry, expected: string, at: Place): void {
  if (uid !== expected) throw wrongReference(at, `the created entry is one of ${uid}, expected ${expected}`);
}

const wrongReference = (path: Place, problem: string): Error => fieldErrors([{ path, message: `${path.join('.')}: ${problem}` }]);

const mapValues = (values: Values, at: Place, change: (value: unknown, name: string, place: Place) => unknown): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name, [...at, name])]));

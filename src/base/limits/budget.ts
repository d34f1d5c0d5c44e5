import { ApiError, validationError } from '../errors.js';
import { mapValues } from '../values.js';
import type { ByteReservation } from './byte-budget.js';

/** The limits that a request spends while it is bound, read and shaped. */
export interface SpentLimits {
  /** Entries that are read from the database, each time they are read. */
  readonly entriesRead: number;
  /** Entries and components in the answer, each as often as it appears. */
  readonly entriesRendered: number;
  /** Size of the answer, estimated while it is shaped. */
  readonly answerBytes: number;
  /** Types whose fields and relations are selected, once for each level of populate. */
  readonly boundSelections: number;
  /** Conditions on related entries that need a command. */
  readonly relatedConditions: number;
  /** Related entries that such conditions match. */
  readonly idsResolved: number;
  /** Relations that all sort keys together lead through. */
  readonly sortLinks: number;
}

/** A limited resource of a request. `bytesRead`: bytes of the replies of the database, apart from the bytes of the answer. */
type Allowance = keyof SpentLimits | 'bytesRead';

/** Returns the limit of an allowance. The bytes read have the limit of the bytes of the answer. */
const limitOf = (allowance: Allowance): keyof SpentLimits => (allowance === 'bytesRead' ? 'answerBytes' : allowance);

/** Returns whether an allowance is memory that the request uses until its answer is sent. */
const isMemory = (allowance: Allowance): boolean => allowance === 'answerBytes' || allowance === 'bytesRead';

interface BudgetOptions {
  /** The setting of a limit, if the setting has another name. */
  readonly settings?: Partial<Record<keyof SpentLimits, string>>;
  /** The memory that is reserved for the answer; null if it is not counted. */
  readonly reservation?: ByteReservation | null;
  /** Called with the setting of a limit that is exceeded. */
  readonly onRefusal?: (setting: string) => void;
}

/**
 * The budget of one request, over REST and GraphQL alike. It is spent by actual entries and bytes. A request that exceeds a limit
 * is refused as a whole: everything that it asks for afterwards is refused too.
 */
export class Budget {
  readonly #limits: SpentLimits;
  readonly #settings: Partial<Record<keyof SpentLimits, string>>;
  readonly #reservation: ByteReservation | null;
  readonly #onRefusal: (setting: string) => void;
  readonly #spent: Record<Allowance, number> = { ...unspent };
  #hasChanged = false;
  #position: bigint | null = null;
  #exceeded: ApiError | null = null;

  constructor(limits: SpentLimits, { settings = {}, reservation = null, onRefusal = () => undefined }: BudgetOptions = {}) {
    this.#limits = limits;
    this.#settings = settings;
    this.#reservation = reservation;
    this.#onRefusal = onRefusal;
  }

  /** The error that was thrown when a limit was exceeded; null if none was. */
  get exceeded(): ApiError | null {
    return this.#exceeded;
  }

  /** Whether something was written that a refusal does not undo. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** The place of the last stored write in the order of all writes of the database; null if nothing was written, or it is unknown. */
  get position(): bigint | null {
    return this.#position;
  }

  /** Notes the place of a stored write. */
  notePosition(position: bigint): void {
    if (this.#position === null || position > this.#position) this.#position = position;
  }

  /**
   * Spends an amount. Throws a ValidationError that names the limit if it is exceeded, and a 503 if all requests together use
   * more memory than they may.
   */
  spend(allowance: Allowance, amount = 1): void {
    if (this.#exceeded !== null) throw this.#exceeded;
    const spent = this.#spent[allowance] + amount;
    this.#spent[allowance] = spent;
    if (spent > this.#limits[limitOf(allowance)]) throw (this.#exceeded = this.#refuse(allowance));
    if (this.#reservation !== null && isMemory(allowance)) this.#reserve(this.#reservation, amount);
  }

  /** Takes back what was spent on work in vain, which is done in another way that spends for it again. Not for memory. */
  takeBack(allowance: Exclude<Allowance, 'answerBytes' | 'bytesRead'>, amount: number): void {
    this.#spent[allowance] -= amount;
  }

  spent(allowance: Allowance): number {
    return this.#spent[allowance];
  }

  remaining(allowance: Allowance): number {
    return Math.max(this.#limits[limitOf(allowance)] - this.#spent[allowance], 0);
  }

  /**
   * Returns a function that counts the types of a selection before it is bound, because a few fragments that spread one another can
   * select millions. It throws a ValidationError once there are more than may be bound.
   */
  typeCounter(): () => void {
    let count = 0;
    return () => {
      count += 1;
      if (count > this.#limits.boundSelections) this.spend('boundSelections', count);
    };
  }

  /** Returns an unspent budget for the same request, whose caller turns out to have a token. */
  ofTokenCaller(limits: CallerLimits): Budget {
    return createBudget(limits, 'known', { reservation: this.#reservation, onRefusal: this.#onRefusal });
  }

  /** Begins another change of the same request, of which nothing is stored yet. */
  beginChange(): void {
    this.#hasChanged = false;
  }

  /** Records that a change was stored, so that later refusals mention it. */
  noteChange(): void {
    this.#hasChanged = true;
  }

  #reserve(reservation: ByteReservation, bytes: number): void {
    try {
      reservation.add(bytes);
    } catch (error) {
      if (error instanceof ApiError) this.#exceeded = error;
      throw error;
    }
  }

  #refuse(allowance: Allowance): ApiError {
    const limit = limitOf(allowance);
    const maximum = this.#limits[limit];
    const setting = `api.limits.${this.#settings[limit] ?? limit}`;
    const [what, advice] = refusals[allowance];
    this.#onRefusal(setting);
    const stored = this.#hasChanged ? '. The change itself was stored' : '';
    const message = `The request ${what.replace('%', String(maximum))} (${setting}): ${advice}${stored}`;
    return validationError(message, { setting, maximum });
  }
}

/** The refusal, with advice on how to ask for less. */
const refusals: Readonly<Record<Allowance, readonly [what: string, advice: string]>> = {
  entriesRead: ['reads more than % entries', 'ask for smaller pages, or populate less'],
  entriesRendered: ['shows more than % entries, each as often as it appears', 'populate fewer levels, or ask for smaller pages'],
  answerBytes: ['asks for more than % bytes', 'select fewer fields, or ask for smaller pages'],
  bytesRead: ['reads more than % bytes for its answer', 'select fewer fields, or ask for smaller pages'],
  boundSelections: [
    'populates more than % types, counted for each level',
    'populate fewer levels, or name the types that polymorphic relations lead to',
  ],
  relatedConditions: ['has more than % conditions on related entries', 'filter by fewer relations'],
  idsResolved: ['has conditions that more than % related entries meet', 'filter more narrowly'],
  sortLinks: ['sorts through more than % relations', 'sort by fewer relations'],
};

/** Returns the same number for each allowance. */
const ofEach = (amount: number) => mapValues(refusals, () => amount) as Readonly<Record<Allowance, number>>; // has the same keys

const unspent = ofEach(0);

type CallerLimits = SpentLimits & { readonly tokenRelatedConditions: number };

/** Returns the budget of a request. Callers with a token or user have a limit of their own for conditions on related entries. */
export function createBudget(
  limits: CallerLimits,
  caller: 'public' | 'known',
  options: Omit<BudgetOptions, 'settings'> = {},
): Budget {
  if (caller === 'public') return new Budget(limits, options);
  const settings = { relatedConditions: 'tokenRelatedConditions' };
  return new Budget({ ...limits, relatedConditions: limits.tokenRelatedConditions }, { settings, ...options });
}

/** The budget without limits, for the service itself and for project code. */
export const unlimited = new Budget(ofEach(Infinity));

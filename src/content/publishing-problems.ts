import { ApiError, type FieldError } from '#base/errors.js';
import { storedDraft } from '#store/form/draft.js';
import type { StoredDocument } from '#store/form/loaded.js';
import type { ContentType } from '#model/schema/content-type.js';
import { publicationRefusal } from '#model/schema/model-option.js';
import { isPublished, refuseIncomplete } from './check-body.js';
import type { ContentContext } from './content-context.js';
import { freeTakenValues } from './exchange-uniques.js';
import { uniqueErrors } from './unique-errors.js';
import type { WrittenLater } from './unique-values.js';

/**
 * Returns what would keep a stored entry, or the draft beside it, from being published now: values that it lacks, unique values that
 * others have, or will have after writes that are carried out together with this one, and what an option of its type says. A published
 * entry without a draft has none. What project code would refuse is not known.
 */
async function publishingProblems(
  type: ContentType,
  stored: StoredDocument,
  context: ContentContext,
  later?: WrittenLater,
): Promise<readonly FieldError[]> {
  if (isPublished(stored) && storedDraft.of(stored) === null) return [];
  const refusal = publicationRefusal(type, storedDraft.inPlace(stored));
  return [
    ...lackingIn(type, storedDraft.inPlace(stored), context),
    ...(await takenInDraft(type, stored, context, later)),
    ...(refusal === null ? [] : [{ path: [], message: refusal }]),
  ];
}

/** Returns an error for each unique value of the draft beside an entry that another one has, or will have. */
async function takenInDraft(
  type: ContentType,
  stored: StoredDocument,
  context: ContentContext,
  later?: WrittenLater,
): Promise<readonly FieldError[]> {
  const draft = storedDraft.of(stored);
  return draft === null ? [] : uniqueErrors({ type, data: draft, id: Number(stored['_id']) }, context, later);
}

function lackingIn(type: ContentType, document: StoredDocument, context: ContentContext): readonly FieldError[] {
  try {
    refuseIncomplete(type, { ...document, publishedAt: new Date() }, context);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return (error.details as { readonly errors: readonly FieldError[] }).errors; // as `fieldErrors` makes them
  }
}

/** What is asked, and done, before entries are published. */
export const publishing = { problems: publishingProblems, takenInDraft, freeTakenValues };

import { ApiError, type FieldError } from '#base/errors.js';
import { storedDraft } from '#store/form/draft.js';
import type { StoredDocument } from '#store/form/loaded.js';
import type { ContentType } from '#model/schema/content-type.js';
import { publicationRefusal } from '#model/schema/model-option.js';
import { isPublished, refuseIncomplete } from './check-body.js';
import type { ContentContext } from './content-context.js';
import { uniqueErrors } from './unique-errors.js';

/**
 * Returns what would keep a stored entry, or the draft beside it, from being published now: values that it lacks, unique values that
 * others have, and what an option of its type says. A published entry without a draft has none. What project code would refuse is not known.
 */
export async function publishingProblems(
  type: ContentType,
  stored: StoredDocument,
  context: ContentContext,
): Promise<readonly FieldError[]> {
  const draft = storedDraft.of(stored);
  if (isPublished(stored) && draft === null) return [];
  const refusal = publicationRefusal(type, storedDraft.inPlace(stored));
  const duplicateErrors = draft === null ? [] : await uniqueErrors({ type, data: draft, id: Number(stored['_id']) }, context);
  return [
    ...lackingIn(type, storedDraft.inPlace(stored), context),
    ...duplicateErrors,
    ...(refusal === null ? [] : [{ path: [], message: refusal }]),
  ];
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

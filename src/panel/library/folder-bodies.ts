import { array, mixed, object, string } from '../check-body.js';
import { decodeId } from '../../values.js';

const id = () =>
  mixed<number | string>().test(
    'id',
    ({ path }: { readonly path: string }) => `${path} must be the id of a file or folder`,
    (value) => value === undefined || value === null || decodeId(value) > 0,
  );

/** Most files or folders of one request. */
const most = 1_000;

const ids = () => array().of(id().required()).max(most);

const name = () =>
  string()
    .min(1)
    .max(255)
    .matches(/^[^/]+$/, 'name cannot contain slashes')
    .matches(/^(?! ).+(?<! )$/, 'name cannot start or end with a whitespace');

/** The body of a new folder. */
export const newFolder = object({ name: name().required(), parent: id().nullable() }).noUnknown();

/** The body that changes a folder. */
export const changedFolder = object({ name: name(), parent: id().nullable() }).noUnknown();

/** The body that moves files and folders. A destination of null is the top. */
export const moving = object({
  destinationFolderId: id().nullable().defined('destinationFolderId must be defined'),
  fileIds: ids(),
  folderIds: ids(),
}).noUnknown();

/** The body that deletes files and folders. */
export const deletion = object({ fileIds: ids(), folderIds: ids() }).noUnknown();

import { array, id, object, string } from '../check-body.js';

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

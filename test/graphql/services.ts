import type { AccountsService } from '../../src/graphql/plugins/accounts-service.js';
import type { UploadService } from '../../src/graphql/plugins/create-uploads.js';

/** An operation that no test calls. */
export const refuse = () => Promise.reject(new Error('not called in this test'));

/** Services whose presence makes their part of the schema; schema tests never call them. */
export const someAccounts: AccountsService = {
  me: refuse,
  login: refuse,
  register: refuse,
  forgotPassword: refuse,
  resetPassword: refuse,
  changePassword: refuse,
  emailConfirmation: refuse,
  createRole: refuse,
  updateRole: refuse,
  deleteRole: refuse,
  createUser: refuse,
  updateUser: refuse,
  deleteUser: refuse,
  deleteMe: refuse,
  sessions: null,
};

export const someUpload: UploadService = { upload: refuse, updateFileInfo: refuse, checkNewRow: refuse };

/** API keys, as the server shows them. The secret is told once, in the reply that makes one. */

import type { Permissions } from "../../api/types";

export interface ApiKey {
  key_id: string;
  name: string;
  permissions: Permissions;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
}

export interface KeysReply {
  keys: ApiKey[];
  has_more: boolean;
  next?: string;
}

export interface MadeKey {
  key: ApiKey;
  api_key: string;
}

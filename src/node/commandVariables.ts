/** Additional variables passed to the user's commands, so that they find their libraries, certificates and the network; none is a key. */

export const COMMAND_VARIABLES = [
  ...["LANG", "LC_ALL", "USER", "SHELL", "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH"],
  ...["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "APPDATA", "PATHEXT"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NO_PROXY", "no_proxy"],
  // The user's folders and system programs on Windows.
  ...["USERPROFILE", "HOMEDRIVE", "HOMEPATH", "USERNAME", "COMSPEC", "PROGRAMDATA"],
  ...["PROGRAMFILES", "PROCESSOR_ARCHITECTURE", "NUMBER_OF_PROCESSORS"],
];

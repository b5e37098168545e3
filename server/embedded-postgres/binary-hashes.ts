/** Written by bin/write-binary-hashes.ts. */
export const BINARY_HASHES = {
  version: "18.4.0-beta.17",
  platforms: {
    "darwin-arm64": {
      bin: "63328ba6ebc264da6fc180f643463be405630b488be8f422eb2b0904254b69c0",
      lib: "51c5f56a8f3fb00baafe44bfac3b87a05b337d91192ea13a2b86fa7f9d43dcae",
      share: "d63c298af2801b83ee73224e25d8e5a03b3f77e7cc1ec29e3396ebbe61fdfc02",
    },
    "darwin-x64": {
      bin: "63328ba6ebc264da6fc180f643463be405630b488be8f422eb2b0904254b69c0",
      lib: "51c5f56a8f3fb00baafe44bfac3b87a05b337d91192ea13a2b86fa7f9d43dcae",
      share: "d63c298af2801b83ee73224e25d8e5a03b3f77e7cc1ec29e3396ebbe61fdfc02",
    },
    "linux-arm64": {
      bin: "97cba7d73e9e40b7b00350591174bbe3d05be8064e01c0ff0bb7f66367c512a7",
      lib: "3ec6f8a0be002f50ce29d9ae7762f6225eab865e15b5214dc7f028528228640d",
      share: "073a898407253de3f8d82328978d89c4f4e3e12d6fa62eb5f385bf5a6dff8042",
    },
    "linux-x64": {
      bin: "deaa7b60591164878c5369bc1190c0c57a901479000421eb90a5d26123834a3d",
      lib: "fdaa1428f1943c88d83a7c0b610656f828c751142a505996d0a13bdf450453b7",
      share: "073a898407253de3f8d82328978d89c4f4e3e12d6fa62eb5f385bf5a6dff8042",
    },
    "windows-x64": {
      bin: "019ec59926bab812493ad31df573e728b61f846740ccb3b024badddae0c1919c",
      lib: "0e9ff4a9709471fb42179259d45e2cc978404048be24bbcc9060aae546c327c7",
      share: "15213501e3b0d3f43689661b1788ee6de9125c066f7c3bf2c30f4828defbe462",
    },
  },
};

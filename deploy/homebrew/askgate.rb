# A template: formula.sh fills in the release's tag, version and checksums. The addresses are those of
# a release page; change them if you keep the files elsewhere.

class Askgate < Formula
  desc "Chat gateway whose model can ask the person instead of guessing"
  homepage "https://github.com/askgate/askgate"
  version "@VERSION@"

  on_macos do
    on_arm do
      url "https://github.com/askgate/askgate/releases/download/@TAG@/askgate_@TAG@_darwin_arm64", using: :nounzip
      sha256 "@SHA256_darwin_arm64@"
    end
    on_intel do
      url "https://github.com/askgate/askgate/releases/download/@TAG@/askgate_@TAG@_darwin_amd64", using: :nounzip
      sha256 "@SHA256_darwin_amd64@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/askgate/askgate/releases/download/@TAG@/askgate_@TAG@_linux_arm64", using: :nounzip
      sha256 "@SHA256_linux_arm64@"
    end
    on_intel do
      url "https://github.com/askgate/askgate/releases/download/@TAG@/askgate_@TAG@_linux_amd64", using: :nounzip
      sha256 "@SHA256_linux_amd64@"
    end
  end

  def install
    bin.install Dir["askgate_*"].first => "askgate"
  end

  test do
    assert_match "askgate @TAG@", shell_output("#{bin}/askgate version")
  end
end
